package org.tasktube.bench.app;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/**
 * The reference: the adapter's statements for PostgreSQL on the adapter's tables, and nothing around them. They are copies;
 * the benchmark fails when the database sees that they are not the same any more.
 */
@ApplicationScoped
public class JdbcTasks {

    private static final String PUT = """
            INSERT INTO tasktube_task (id, ord, tube_id, state, pri, created_at, event_at, expires_at, ttr_ms,
              content_type, data)
            SELECT fresh.id, fresh.id, tube.id, ?, CAST(? AS integer), statement_timestamp(),
              (statement_timestamp() + CAST(? AS bigint) * INTERVAL '1 millisecond'),
              (statement_timestamp() + CAST(? AS bigint) * INTERVAL '1 millisecond'), CAST(? AS bigint), ?, ?
            FROM (SELECT nextval('tasktube_task_seq') AS id) fresh, tasktube_tube tube WHERE tube.id = ?
              AND tasktube_open(tube.id)
            RETURNING id""";

    private static final String CLAIM = """
            UPDATE tasktube_task t SET state = 't', session = ?, token = ?, node = ?, taken_at = statement_timestamp(),
              event_at = (statement_timestamp() + ttr_ms * INTERVAL '1 millisecond'),
              attempts = attempts + 1, taken_count = taken_count + 1
            WHERE t.id = ANY(ARRAY(
              SELECT id FROM tasktube_task
              WHERE tube_id = ? AND state = 'r' AND NOT behind AND (pri, ord) > (?, ?)
              AND (expires_at IS NULL OR expires_at > statement_timestamp())
              ORDER BY pri, ord LIMIT ? FOR UPDATE SKIP LOCKED))
            RETURNING t.id, t.pri, t.ord, t.attempts, t.ttr_ms, t.utube, t.content_type, t.data""";

    private static final String ACK =
            "DELETE FROM tasktube_task WHERE id = ? AND tube_id = ? AND session = ? AND token = ?";

    /** A server that the adapter does not know. */
    private static final int NODE = 0;

    @Resource(lookup = "java:jboss/datasources/BenchDS")
    private DataSource dataSource;

    private final UUID session = UUID.randomUUID();
    private volatile int tube;

    /**
     * Looks up which tube is the reference's, and makes its session known, so that the adapter does not take its tasks for
     * nobody's; to be called when the tables are there.
     */
    public void open() {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement find = connection.prepareStatement("SELECT id FROM tasktube_tube WHERE name = ?");
                PreparedStatement know = connection.prepareStatement("INSERT INTO tasktube_session (session, node,"
                        + " expires_at) VALUES (?, 0, statement_timestamp() + INTERVAL '1 day')")) {
            find.setString(1, Side.JDBC.tube());
            try (ResultSet row = find.executeQuery()) {
                row.next();
                tube = row.getInt(1);
            }
            know.setObject(1, session);
            know.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public void put(byte[] data) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement put = connection.prepareStatement(PUT)) {
            put.setString(1, "r");
            put.setInt(2, 0);
            put.setNull(3, Types.NULL);
            put.setNull(4, Types.NULL);
            put.setNull(5, Types.NULL);
            put.setString(6, "application/octet-stream");
            put.setBytes(7, data);
            put.setInt(8, tube);
            try (ResultSet id = put.executeQuery()) {
                if (!id.next()) {
                    throw new IllegalStateException("the reference's tube is gone");
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    record Claimed(long id, long token, ByteBuffer data) {

        /** No task, but the end of them. */
        static final Claimed END = new Claimed(0, 0, ByteBuffer.allocate(0));

        boolean isEnd() {
            return token == END.token;
        }
    }

    List<Claimed> claim(int max) {
        long token = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        try (Connection connection = dataSource.getConnection();
                PreparedStatement claim = connection.prepareStatement(CLAIM)) {
            claim.setObject(1, session);
            claim.setLong(2, token);
            claim.setInt(3, NODE);
            claim.setInt(4, tube);
            claim.setInt(5, Integer.MIN_VALUE);
            claim.setLong(6, Long.MIN_VALUE);
            claim.setInt(7, max);
            try (ResultSet rows = claim.executeQuery()) {
                List<Claimed> claimed = new ArrayList<>();
                while (rows.next()) {
                    claimed.add(new Claimed(rows.getLong(1), token, ByteBuffer.wrap(rows.getBytes(8))));
                }
                return claimed;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void ack(Claimed task) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement ack = connection.prepareStatement(ACK)) {
            ack.setLong(1, task.id());
            ack.setInt(2, tube);
            ack.setObject(3, session);
            ack.setLong(4, task.token());
            if (ack.executeUpdate() != 1) {
                throw new IllegalStateException("task " + task.id() + " is not the reference's any more");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
