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
import org.tasktube.store.sql.NamedStatement;
import org.tasktube.store.sql.Statements;

/**
 * The adapter's statements for PostgreSQL, from its own file, on its tables, and nothing around them. The benchmark
 * fails when the database sees other ones, except that the adapter may gather acks.
 */
@ApplicationScoped
public class OwnStatements implements PlainQueue {

    private static final Statements SQL = Statements.read("postgresql.sql");

    private static final String PUT = text(
            "put", "state", "pri", "until_deadline", "until_expiry", "ttr", "content_type", "data", "headers", "tube");

    private static final String CLAIM = text(
            "claim",
            "session",
            "token",
            "node",
            "has_most",
            "has_rate",
            "tube",
            "tube",
            "after_pri",
            "after_ord",
            "after_id",
            "max",
            "max_bytes",
            "tube",
            "need_not_be_on_disk");

    private static final String ACK = text("ack", "id", "tube", "session", "token", "tube", "followed");

    /** A server that the adapter does not know. */
    private static final int NODE = 0;

    @Resource(lookup = "java:jboss/datasources/BenchDS")
    private DataSource dataSource;

    private final UUID session = UUID.randomUUID();
    private volatile int tube;

    /** Returns a statement's text, if its parameters are in the order in which they are set here. */
    private static String text(String name, String... parameters) {
        NamedStatement statement = SQL.get(name);
        if (!statement.parameters().equals(List.of(parameters))) {
            throw new IllegalStateException("the parameters of " + name + " are " + statement.parameters()
                    + ", and the reference sets " + List.of(parameters));
        }
        return statement.text();
    }

    /**
     * Looks up which tube is the reference's, and makes its session known, so that the adapter does not take its
     * tasks for tasks without a holder; to be called when the tables exist.
     */
    public void open() {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement find = connection.prepareStatement("SELECT id FROM tasktube_tube WHERE name = ?");
                PreparedStatement know = connection.prepareStatement("INSERT INTO tasktube_session (session, node,"
                        + " expires_at) VALUES (?, 0, statement_timestamp() + INTERVAL '1 day')")) {
            find.setString(1, Side.OWN_STATEMENTS.tube());
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

    @Override
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
            put.setNull(8, Types.NULL);
            put.setInt(9, tube);
            try (ResultSet id = put.executeQuery()) {
                if (!id.next()) {
                    throw new IllegalStateException("the reference's tube does not exist");
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public List<Claimed> claim(int max) {
        long token = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        try (Connection connection = dataSource.getConnection();
                PreparedStatement claim = connection.prepareStatement(CLAIM)) {
            claim.setObject(1, session);
            claim.setLong(2, token);
            claim.setInt(3, NODE);
            claim.setBoolean(4, false);
            claim.setBoolean(5, false);
            claim.setInt(6, tube);
            claim.setInt(7, tube);
            claim.setInt(8, Integer.MIN_VALUE);
            claim.setLong(9, Long.MIN_VALUE);
            claim.setLong(10, Long.MIN_VALUE);
            claim.setInt(11, max);
            claim.setLong(12, Long.MAX_VALUE);
            claim.setInt(13, tube);
            claim.setBoolean(14, true);
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

    @Override
    public void ack(Claimed task) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement ack = connection.prepareStatement(ACK)) {
            ack.setLong(1, task.id());
            ack.setInt(2, tube);
            ack.setObject(3, session);
            ack.setLong(4, task.token());
            ack.setInt(5, tube);
            ack.setBoolean(6, false);
            if (ack.executeUpdate() != 1) {
                throw new IllegalStateException("task " + task.id() + " is not the reference's any more");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
