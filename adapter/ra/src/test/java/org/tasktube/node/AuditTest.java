package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.StoreException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.AuditAct;
import org.tasktube.admin.AuditEntry;
import org.tasktube.admin.AuditPage;
import org.tasktube.admin.AuditQuery;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The audit keeps each act, in the act's own transaction, for its time. */
@Timeout(60)
class AuditTest {

    abstract static class Rules {

        private static HikariDataSource database;
        private static AgroalDataSource pool;
        private static RunningNode running;
        private final ClientConnection connection = new ClientConnection();

        static void start(TestDatabase kind) {
            database = kind.create();
            pool = Jta.pool(database);
            running = new RunningNode(pool, Jta.TRANSACTIONS, "app-1");
        }

        @AfterAll
        static void stop() {
            running.close();
            pool.close();
            database.close();
        }

        @BeforeEach
        void empty() throws Exception {
            new Sql(database).execute("DELETE FROM tasktube_audit");
        }

        private TaskAdmin admin() {
            return running.node().admin(connection);
        }

        private static AuditAct act(String who, String act, String tube) {
            return new AuditAct(
                    who,
                    "OPERATE",
                    act,
                    Optional.of(tube),
                    Optional.of("4711"),
                    Optional.empty(),
                    OptionalLong.of(1),
                    Optional.of("the printer works again"),
                    200,
                    Optional.of("192.0.2.17"));
        }

        private List<AuditEntry> all(AuditQuery query, int limit) {
            List<AuditEntry> all = new ArrayList<>();
            OptionalLong from = OptionalLong.empty();
            do {
                AuditPage page = admin().audit(query, from, limit);
                assertThat(page.entries()).hasSizeLessThanOrEqualTo(limit);
                all.addAll(page.entries());
                from = page.next();
            } while (from.isPresent());
            return all;
        }

        private static AuditQuery query(String who, String act, String tube) {
            return AuditQuery.of(
                    Optional.ofNullable(who), Optional.ofNullable(act), Optional.ofNullable(tube), Optional.empty());
        }

        @Test
        void an_act_is_kept_whole_with_its_time_and_its_server() {
            AuditAct done = act("anna", "kick", "orders");
            AuditAct refused = new AuditAct(
                    "bob",
                    "ADMIN",
                    "drop",
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of("state:buried"),
                    OptionalLong.empty(),
                    Optional.empty(),
                    403,
                    Optional.empty());
            admin().record(done);
            admin().record(refused);
            List<AuditEntry> entries = all(AuditQuery.ALL, 10);
            assertThat(entries).extracting(AuditEntry::done).containsExactly(refused, done);
            assertThat(entries).allMatch(entry -> entry.server().equals("app-1"));
            assertThat(entries.get(0).at()).isAfterOrEqualTo(entries.get(1).at());
        }

        /** The row is in the transaction of the application, which goes on with the same connection. */
        @Test
        void the_limit_of_time_of_a_row_does_not_stay_on_its_connection() throws Exception {
            Jta.MANAGER.begin();
            try (Connection same = pool.getConnection();
                    Statement later = same.createStatement()) {
                admin().record(act("anna", "kick", "orders"));
                assertThat(later.getQueryTimeout()).isZero();
            } finally {
                Jta.MANAGER.rollback();
            }
        }

        @Test
        void pages_have_each_row_once_the_newest_first() {
            for (int i = 0; i < 7; i++) {
                admin().record(act(i % 2 == 0 ? "anna" : "bob", i < 4 ? "kick" : "bury", i % 3 == 0 ? "a" : "b"));
            }
            for (int limit : List.of(1, 2, 7, 8)) {
                assertThat(all(AuditQuery.ALL, limit))
                        .hasSize(7)
                        .isSortedAccordingTo((one, other) -> Long.compare(other.id(), one.id()));
                assertThat(all(query("anna", null, null), limit)).hasSize(4);
                assertThat(all(query(null, "kick", null), limit)).hasSize(4);
                assertThat(all(query(null, null, "a"), limit)).hasSize(3);
                assertThat(all(query("bob", "kick", "a"), limit)).hasSize(1);
                assertThat(all(query("bob", "kick", null), limit)).hasSize(2);
                assertThat(all(query("nobody", null, null), limit)).isEmpty();
            }
        }

        @Test
        void the_rows_of_a_task_are_found_with_and_without_a_user_an_act_and_a_tube() {
            admin().record(act("anna", "kick", "a"));
            admin().record(new AuditAct(
                    "anna",
                    "OPERATE",
                    "kick",
                    Optional.of("a"),
                    Optional.of("471"),
                    Optional.empty(),
                    OptionalLong.of(1),
                    Optional.empty(),
                    200,
                    Optional.empty()));
            AuditQuery any = AuditQuery.ALL;
            for (String id : List.of("471", "4711")) {
                Optional<String> task = Optional.of(id);
                for (AuditQuery query : List.of(
                        AuditQuery.of(any.who(), any.act(), any.tube(), task),
                        AuditQuery.of(Optional.of("anna"), any.act(), any.tube(), task),
                        AuditQuery.of(any.who(), Optional.of("kick"), any.tube(), task),
                        AuditQuery.of(any.who(), any.act(), Optional.of("a"), task))) {
                    assertThat(all(query, 1))
                            .as(query.toString())
                            .extracting(entry -> entry.done().task())
                            .containsExactly(task);
                }
            }
        }

        @Test
        void the_acts_of_a_time_are_found_also_with_the_other_choices() {
            List<Instant> at = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                admin().record(act(i % 2 == 0 ? "anna" : "bob", "act-" + i, "orders"));
                at.add(all(AuditQuery.ALL, 10).get(0).at());
            }
            assertThat(all(AuditQuery.ALL.within(Optional.of(at.get(1)), Optional.of(at.get(3))), 1))
                    .extracting(entry -> entry.done().act())
                    .containsExactly("act-2", "act-1");
            for (AuditQuery anna : List.of(query("anna", null, null), query("anna", null, "orders"))) {
                assertThat(all(anna.within(Optional.of(at.get(1)), Optional.empty()), 1))
                        .extracting(entry -> entry.done().act())
                        .containsExactly("act-2");
                assertThat(all(anna.within(Optional.empty(), Optional.of(at.get(1))), 1))
                        .extracting(entry -> entry.done().act())
                        .containsExactly("act-0");
            }
            assertThat(all(query(null, "act-3", null).within(Optional.of(at.get(3)), Optional.empty()), 1))
                    .hasSize(1);
        }

        @Test
        void an_act_and_its_row_are_both_there_or_neither() throws Exception {
            Tube tube = running.newTube(connection, TubeDefinition.FIFO);
            Jta.MANAGER.begin();
            long gone = tube.put("a").id();
            admin().record(act("anna", "put", tube.name()));
            assertThat(all(AuditQuery.ALL, 10)).hasSize(1);
            Jta.MANAGER.rollback();
            assertThat(all(AuditQuery.ALL, 10)).isEmpty();
            assertThat(tube.peek(gone)).isEmpty();
            Jta.MANAGER.begin();
            long put = tube.put("a").id();
            admin().record(act("anna", "put", tube.name()));
            Jta.MANAGER.commit();
            assertThat(all(AuditQuery.ALL, 10)).hasSize(1);
            assertThat(tube.peek(put)).isPresent();
        }

        @Test
        void rows_are_removed_after_their_time_in_batches_and_later_ones_stay() throws Exception {
            for (int i = 0; i < 5; i++) {
                admin().record(act("anna", "kick", "orders"));
            }
            new Sql(database)
                    .execute("UPDATE tasktube_audit SET done_at = done_at - INTERVAL '2' DAY"
                            + " WHERE id < (SELECT max(id) FROM tasktube_audit)");
            var audit = running.node().parts().access().audit();
            assertThat(audit.removeOld(Duration.ofDays(3), 3)).isZero();
            assertThat(audit.removeOld(Duration.ofDays(1), 3)).isEqualTo(3);
            assertThat(audit.removeOld(Duration.ofDays(1), 3)).isEqualTo(1);
            assertThat(audit.removeOld(Duration.ofDays(1), 3)).isZero();
            assertThat(all(AuditQuery.ALL, 10)).hasSize(1);
        }

        @Test
        void rows_by_a_clock_that_was_ahead_do_not_keep_later_ones() throws Exception {
            for (int i = 0; i < 5; i++) {
                admin().record(act("anna", "kick", "orders"));
            }
            Sql sql = new Sql(database);
            long first = sql.number("SELECT min(id) FROM tasktube_audit");
            sql.execute("UPDATE tasktube_audit SET done_at = done_at " + "+ CASE WHEN id < " + (first + 3)
                    + " THEN INTERVAL '900' DAY ELSE INTERVAL '-2' DAY END");
            assertThat(running.node().parts().access().audit().removeOld(Duration.ofDays(1), 3))
                    .isEqualTo(2);
            assertThat(all(AuditQuery.ALL, 10)).hasSize(3);
        }

        @Test
        void the_sweep_removes_what_is_older_than_its_retention() throws Exception {
            for (int i = 0; i < 3; i++) {
                admin().record(act("anna", "kick", "orders"));
            }
            new Sql(database).execute("UPDATE tasktube_audit SET done_at = done_at - INTERVAL '91' DAY");
            running.node().parts().retention().run();
            assertThat(all(AuditQuery.ALL, 10)).isEmpty();
        }

        @Test
        void a_sweep_that_goes_on_is_not_begun_a_second_time() throws Exception {
            admin().record(act("anna", "kick", "orders"));
            Sql sql = new Sql(database);
            for (int rows = 1; rows < 4 * Retention.BATCH; rows *= 2) {
                sql.execute("INSERT INTO tasktube_audit (done_at, who, needs, act, status, server)"
                        + " SELECT done_at, who, needs, act, status, server FROM tasktube_audit");
            }
            sql.execute("UPDATE tasktube_audit SET done_at = done_at - INTERVAL '91' DAY");
            long before = sql.number("SELECT count(*) FROM tasktube_audit");
            Retention retention = running.node().parts().retention();
            running.node().parts().calls().call(() -> {
                for (int minute = 0; minute < 3; minute++) {
                    retention.run();
                }
                return null;
            });
            assertThat(sql.number("SELECT count(*) FROM tasktube_audit")).isEqualTo(before - Retention.BATCH);
            Eventually.holds(() -> all(AuditQuery.ALL, 10).isEmpty(), "the sweep has gone on to its end");
        }

        @Test
        void a_value_out_of_its_bounds_is_refused() {
            assertThatThrownBy(() -> admin().audit(AuditQuery.ALL, OptionalLong.empty(), 0))
                    .hasMessage("limit 0 is not from 1 to 500");
            assertThatThrownBy(() -> act("x".repeat(256), "kick", "a"))
                    .hasMessageContaining("'who' of the audit has 256 characters")
                    .hasMessageContaining("set at most 255 characters");
            assertThatThrownBy(() -> act("a", "kick", "a\0")).hasMessageContaining("'tube'");
            assertThatThrownBy(() -> act("a\nTASKTUBE0500: user=b", "kick", "a"))
                    .hasMessageContaining("'who'");
            assertThatThrownBy(() -> act("a", "", "a")).hasMessageContaining("is empty");
        }
    }

    @Nested
    class OnH2 extends Rules {
        @BeforeAll
        static void open() {
            start(TestDatabase.H2);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        @BeforeAll
        static void open() {
            start(TestDatabase.POSTGRESQL);
        }

        @Test
        @Tag("full")
        void an_act_waits_for_a_locked_audit_for_seconds_only() throws Exception {
            try (Connection locking = Rules.database.getConnection();
                    Statement lock = locking.createStatement()) {
                locking.setAutoCommit(false);
                lock.execute("LOCK TABLE tasktube_audit IN EXCLUSIVE MODE");
                TaskAdmin admin = Rules.running.node().admin(new ClientConnection());
                assertThatThrownBy(() -> admin.record(Rules.act("anna", "kick", "orders")))
                        .isInstanceOf(StoreException.class);
                locking.rollback();
            }
        }
    }
}
