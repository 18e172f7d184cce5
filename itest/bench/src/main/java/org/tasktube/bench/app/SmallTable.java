package org.tasktube.bench.app;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** The reference: the smallest honest queue that one would write by hand, a table with two indexes. */
@ApplicationScoped
public class SmallTable implements PlainQueue {

    /** The table of tasks has pages from the start, and keeps them, for the reason that {@link DbScheduler} has. */
    private static final List<String> TABLES = List.of(
            "CREATE TABLE bench_task (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, prio integer NOT NULL,"
                    + " due timestamptz, owner uuid, payload bytea NOT NULL)",
            "CREATE INDEX bench_free ON bench_task (prio, id) WHERE owner IS NULL",
            "ALTER TABLE bench_task SET (vacuum_truncate = false)",
            "INSERT INTO bench_task (prio, payload) SELECT 0, decode(repeat('00', 1000), 'hex') FROM generate_series(1, 1000)",
            "DELETE FROM bench_task",
            "CREATE TABLE bench_work (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, task bigint NOT NULL)");

    private static final String PUT = "INSERT INTO bench_task (prio, payload) VALUES (0, ?)";
    /** With an array, because PostgreSQL may run the query of an IN once per row of the table. */
    private static final String CLAIM = "UPDATE bench_task SET owner = ? WHERE id = ANY(ARRAY(SELECT id FROM bench_task"
            + " WHERE owner IS NULL ORDER BY prio, id LIMIT ? FOR UPDATE SKIP LOCKED)) RETURNING id, payload";

    private static final String ACK = "DELETE FROM bench_task WHERE id = ? AND owner = ?";
    private static final String WORK = "INSERT INTO bench_work (task) VALUES (?)";

    @Resource(lookup = "java:jboss/datasources/BenchDS")
    private DataSource dataSource;

    private final UUID owner = UUID.randomUUID();

    /** Creates the tables. */
    public void open() {
        for (String table : TABLES) {
            run(table, statement -> statement.execute());
        }
    }

    @Override
    public void put(byte[] data) {
        run(PUT, put -> {
            put.setBytes(1, data);
            return put.executeUpdate();
        });
    }

    @Override
    public List<Claimed> claim(int max) {
        return run(CLAIM, claim -> {
            claim.setObject(1, owner);
            claim.setInt(2, max);
            List<Claimed> claimed = new ArrayList<>();
            try (ResultSet rows = claim.executeQuery()) {
                while (rows.next()) {
                    claimed.add(new Claimed(rows.getLong(1), 0, ByteBuffer.wrap(rows.getBytes(2))));
                }
            }
            return claimed;
        });
    }

    @Override
    public void ack(Claimed task) {
        int acked = run(ACK, ack -> {
            ack.setLong(1, task.id());
            ack.setObject(2, owner);
            return ack.executeUpdate();
        });
        if (acked != 1) {
            throw new IllegalStateException("task " + task.id() + " is not the reference's any more");
        }
    }

    /** Acks tasks by one batch of deletes, in a transaction of its own. */
    void ackAll(List<Claimed> tasks) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement ack = connection.prepareStatement(ACK)) {
            connection.setAutoCommit(false);
            for (Claimed task : tasks) {
                ack.setLong(1, task.id());
                ack.setObject(2, owner);
                ack.addBatch();
            }
            if (IntStream.of(ack.executeBatch()).sum() != tasks.size()) {
                throw new IllegalStateException("a task is not the reference's any more");
            }
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What a bean of both sides writes, if it writes a row of its own. */
    void work(long task) {
        run(WORK, insert -> {
            insert.setLong(1, task);
            return insert.executeUpdate();
        });
    }

    @FunctionalInterface
    private interface Use<T> {
        T of(PreparedStatement statement) throws SQLException;
    }

    private <T> T run(String sql, Use<T> use) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            return use.of(statement);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
