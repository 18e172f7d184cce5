package org.tasktube.bench.app;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** A peer: db-scheduler with eight threads that lock and fetch, and begin with a new task at once. It has no JTA. */
@ApplicationScoped
public class DbScheduler {

    /**
     * The columns and indexes that its documentation asks for. The table has pages from the start, and keeps them, as
     * TaskTube's own: else PostgreSQL would plan its search before each put for an empty table, and keep that plan.
     */
    private static final List<String> TABLE = List.of(
            "CREATE TABLE scheduled_tasks (task_name text, task_instance text, task_data bytea,"
                    + " execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,"
                    + " last_success timestamptz, last_failure timestamptz, consecutive_failures integer,"
                    + " last_heartbeat timestamptz, version bigint NOT NULL, priority smallint,"
                    + " PRIMARY KEY (task_name, task_instance))",
            "CREATE INDEX ON scheduled_tasks (execution_time)",
            "CREATE INDEX ON scheduled_tasks (last_heartbeat)",
            "CREATE INDEX ON scheduled_tasks (priority DESC, execution_time)",
            "ALTER TABLE scheduled_tasks SET (vacuum_truncate = false)",
            "INSERT INTO scheduled_tasks (task_name, task_instance, task_data, execution_time, picked, version)"
                    + " SELECT '', n, decode(repeat('00', 1000), 'hex'), now(), false, 0 FROM generate_series(1, 1000) n",
            "DELETE FROM scheduled_tasks");

    private static final int THREADS = 8;
    private static final double FETCH_BELOW = 1;
    private static final double FETCH_UP_TO = 8;

    @Resource(lookup = "java:jboss/datasources/BenchDS")
    private DataSource dataSource;

    @Inject
    private Meter meter;

    private final AtomicLong names = new AtomicLong();
    private volatile Scheduler scheduler;
    private volatile OneTimeTask<byte[]> task;

    void open() {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : TABLE) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        create();
    }

    /** A scheduler that has ended does not start again. */
    private void create() {
        task = Tasks.oneTime("bench", byte[].class).execute((instance, context) -> meter.began());
        scheduler = Scheduler.create(dataSource, task)
                .threads(THREADS)
                .pollUsingLockAndFetch(FETCH_BELOW, FETCH_UP_TO)
                .pollingInterval(Duration.ofMillis(100))
                .enableImmediateExecution()
                .build();
    }

    void put(byte[] data) {
        scheduler.schedule(task.instance(Long.toString(names.incrementAndGet()), data), Instant.now());
    }

    void start() {
        scheduler.start();
    }

    void stop() {
        scheduler.stop();
        create();
    }
}
