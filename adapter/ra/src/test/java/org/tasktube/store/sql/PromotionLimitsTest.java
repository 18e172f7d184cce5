package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeInUseException;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What a take from sub-queues costs and how long it lasts at most, where a datasource of PostgreSQL limits its
 * statements.
 */
class PromotionLimitsTest {

    private static final int TIMEOUT_MILLIS = 500;

    private static final int LOCKED = 1_000;

    private static final int TAKES = 20;

    /** An empty page of the log, now and then, is written for others. The old rule wrote 215 kB. */
    private static final long MOST_BYTES_OF_A_TAKE = 4_000;

    private static final int MARKS = 50_000;

    private final Holder me = new Holder(UUID.randomUUID(), 1);
    private HikariDataSource database;
    private HikariDataSource limited;
    private OpenStore open;
    private StoredTube tube;

    @BeforeEach
    void open() throws Exception {
        database = TestDatabase.POSTGRESQL.create();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.getJdbcUrl() + "&options=-c%20statement_timeout=" + TIMEOUT_MILLIS);
        config.setUsername("postgres");
        config.setMaximumPoolSize(5);
        limited = new HikariDataSource(config);
        open = SqlStores.open(limited, true, () -> {});
        tube = open.registry()
                .createTube(TubeDefinition.of("hosts", TubeDefinition.UTUBETTL), true)
                .orElseThrow();
    }

    @AfterEach
    void close() {
        open.close();
        limited.close();
        database.close();
    }

    @Test
    void a_take_answers_within_its_timeout_although_a_promoter_stands_still() throws Exception {
        put(task("a", 0));
        try (Connection promoter = database.getConnection()) {
            promoter.setAutoCommit(false);
            Sql.number(
                    promoter,
                    "SELECT count(pg_advisory_xact_lock('tasktube_dirty'::regclass::oid::integer, " + tube.id() + "))");
            assertThat(take(1)).isEmpty();
            promoter.rollback();
            promoter.setAutoCommit(true);
        }
        assertThat(take(1)).containsExactly("a");
    }

    @Test
    void a_drop_is_refused_within_its_timeout_where_a_transaction_has_put() throws Exception {
        try (Connection producer = database.getConnection()) {
            producer.setAutoCommit(false);
            Sql.number(producer, "SELECT count(tasktube_open(" + tube.id() + "))");
            assertThatThrownBy(() -> open.registry().dropTube(tube))
                    .isInstanceOf(TubeInUseException.class)
                    .hasMessageContaining("did not end within");
            producer.rollback();
            producer.setAutoCommit(true);
        }
        open.registry().dropTube(tube);
    }

    @Test
    void all_marks_are_promoted_in_the_end_under_a_timeout() throws Exception {
        try (Connection connection = database.getConnection()) {
            execute(
                    connection,
                    "INSERT INTO tasktube_dirty (tube_id, utube) SELECT %d, 'host-' || n FROM generate_series(1, %d) n"
                            .formatted(tube.id(), MARKS));
            put(task("last", 0));
            assertThat(take(1)).containsExactly("last");
            assertThat(Sql.number(connection, "SELECT count(*) FROM tasktube_dirty"))
                    .isZero();
        }
    }

    @Test
    void a_take_beside_many_locked_heads_writes_next_to_no_log() throws Exception {
        put(IntStream.range(0, LOCKED).mapToObj(i -> task("host-" + i, 5)).toArray(NewTask[]::new));
        open.tasks().promoteHeads(tube);
        try (Connection other = database.getConnection();
                Connection watch = database.getConnection()) {
            other.setAutoCommit(false);
            execute(other, "UPDATE tasktube_task SET taken_count = taken_count");
            put(IntStream.range(0, LOCKED).mapToObj(i -> task("host-" + i, 1)).toArray(NewTask[]::new));
            assertThat(take(1)).isEmpty();
            assertThat(Sql.number(watch, "SELECT count(*) FROM tasktube_parked"))
                    .isEqualTo(LOCKED);
            // Other tests write into the same log, so the least of many takes counts
            long least = Long.MAX_VALUE;
            for (int i = 0; i < TAKES; i++) {
                long before = written(watch);
                assertThat(take(1)).isEmpty();
                least = Math.min(least, written(watch) - before);
            }
            assertThat(least).isLessThan(MOST_BYTES_OF_A_TAKE);
            other.rollback();
            other.setAutoCommit(true);
        }
    }

    private static long written(Connection on) throws SQLException {
        return Sql.number(on, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint");
    }

    private void put(NewTask... tasks) {
        open.tasks().put(tube, List.of(tasks));
    }

    private static NewTask task(String utube, int pri) {
        return TaskToPut.of(utube).utube(utube).pri(pri).build();
    }

    private List<String> take(int max) {
        return open.tasks().claim(tube, me, OrderKey.START, max).stream()
                .map(ClaimedTask::task)
                .map(task -> task.utube().orElse(""))
                .toList();
    }

    private static void execute(Connection on, String sql) throws SQLException {
        try (Statement statement = on.createStatement()) {
            statement.execute(sql);
        }
    }
}
