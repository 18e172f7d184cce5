package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.History;
import org.tasktube.TubeDefinition;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The maintenance thread removes old moves, and must not keep deadlines waiting because of many tubes. */
@Timeout(60)
@Tag("large")
class HistoriesOfManyTubesTest {

    private static final int TUBES = 3 * Histories.MOST_TUBES + 1;

    @ParameterizedTest
    @EnumSource
    void each_call_looks_at_some_tubes_and_the_calls_end(TestDatabase kind) throws Exception {
        AtomicInteger looks = new AtomicInteger();
        try (HikariDataSource database = kind.create();
                OpenStore store = SqlStores.open(
                        HookedDataSource.of(database, statement -> {
                            if (statement.contains("history_ms FROM tasktube_tube")) {
                                looks.incrementAndGet();
                            }
                        }),
                        true,
                        () -> {})) {
            Sql sql = new Sql(database);
            for (int tube = 1; tube <= TUBES; tube++) {
                sql.execute("INSERT INTO tasktube_history (tube_id, task_id, at, event, attempt) VALUES (" + tube
                        + ", 1, CURRENT_TIMESTAMP, 'PUT', 0)");
            }
            int calls = 0;
            boolean more = true;
            while (more) {
                looks.set(0);
                more = store.tasks().histories().removeOld();
                assertThat(looks.get()).isLessThanOrEqualTo(Histories.MOST_TUBES);
                assertThat(++calls).isLessThan(10);
            }
            assertThat(sql.number("SELECT count(*) FROM tasktube_history")).isZero();
        }
    }

    /** A server or a machine can be replaced, and its clock set right. */
    @ParameterizedTest
    @EnumSource
    void moves_by_a_clock_that_was_ahead_do_not_keep_later_ones(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                OpenStore store = SqlStores.open(database, true, () -> {})) {
            int tube = store.registry()
                    .createTube(TubeDefinition.fifottl("orders").history(History.ALL), false)
                    .orElseThrow()
                    .id();
            Sql sql = new Sql(database);
            for (String at : List.of("+ INTERVAL '900' DAY", "- INTERVAL '8' DAY", "- INTERVAL '6' DAY")) {
                sql.execute("INSERT INTO tasktube_history (tube_id, task_id, at, event, attempt) SELECT " + tube
                        + ", 1, CURRENT_TIMESTAMP " + at + ", 'TOUCH', 0 FROM " + numbers(kind));
            }
            while (store.tasks().histories().removeOld()) {
                // More may be left
            }
            assertThat(sql.number("SELECT count(*) FROM tasktube_history")).isEqualTo(2 * Histories.BATCH);
            assertThat(sql.number(
                            "SELECT count(*) FROM tasktube_history WHERE at < CURRENT_TIMESTAMP - INTERVAL '7' DAY"))
                    .isZero();
            sql.execute("DELETE FROM tasktube_tube");
            while (store.tasks().histories().removeOld()) {
                // More may be left
            }
            assertThat(sql.number("SELECT count(*) FROM tasktube_history")).isZero();
        }
    }

    private static String numbers(TestDatabase kind) {
        return (kind == TestDatabase.H2 ? "SYSTEM_RANGE(1, " : "generate_series(1, ") + Histories.BATCH + ")";
    }
}
