package org.tasktube.store.sql;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.FailureGroup;
import org.tasktube.Fingerprint;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TubeDefinition;
import org.tasktube.store.Holder;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.Calls;
import org.tasktube.testing.DatabaseTestStore;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;
import org.tasktube.testing.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/** The rows of the kinds of failures are written once, return if they are deleted, and go when no task needs them. */
@Tag("large")
class FailureKindsTest {

    @Nested
    class OnH2 extends Rules {
        OnH2() {
            super(TestDatabase.H2);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        OnPostgreSql() {
            super(TestDatabase.POSTGRESQL);
        }
    }

    @Timeout(60)
    abstract static class Rules {

        private final Holder me = new Holder(UUID.randomUUID(), 1);
        private final List<String> statements = new ArrayList<>();
        private final List<OpenStore> servers = new ArrayList<>();
        private final DatabaseTestStore database;
        private final TaskStore store;
        private final StoredTube tube;
        private Instant now = TestStore.START;

        Rules(TestDatabase kind) {
            database = new DatabaseTestStore(kind, false);
            store = server();
            tube = database.create(TubeDefinition.fifottl("orders"), false);
            database.setClock(now);
        }

        @AfterEach
        void close() {
            servers.forEach(OpenStore::close);
            database.close();
        }

        /** Returns the store of another server, which knows no kind yet. */
        private TaskStore server() {
            try {
                OpenStore server =
                        SqlStores.open(HookedDataSource.of(database.dataSource(), statements::add), true, () -> {});
                servers.add(server);
                return server.tasks();
            } catch (StoreUnavailableException e) {
                throw new IllegalStateException(e);
            }
        }

        private void pass(Duration time) {
            now = now.plus(time);
            database.setClock(now);
        }

        private Task fail(TaskStore by, TaskFailure failure) {
            by.put(tube, List.of(TaskToPut.of("x").build()));
            Task task = by.claim(tube, me, OrderKey.START, 1).get(0).task();
            statements.clear();
            assertThat(Calls.fail(by, tube, me, task, failure, Optional.empty()))
                    .isPresent();
            return task;
        }

        private static TaskFailure failure(String message) {
            return TaskFailure.of(new IllegalStateException("outer 17", new java.io.IOException(message)));
        }

        private FailureGroup group() {
            List<FailureGroup> groups = store.failureGroups(10);
            assertThat(groups).hasSize(1);
            return groups.get(0);
        }

        private long rows() {
            try {
                return new Sql(database.dataSource()).number("SELECT count(*) FROM tasktube_failure");
            } catch (java.sql.SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private void checkAll() {
            servers.forEach(server -> server.tasks().checkFailureKinds());
        }

        private List<String> statementsBesideTheClock() {
            return statements.stream()
                    .filter(text -> !text.startsWith("CALL ") && !text.equals("CLOSE"))
                    .toList();
        }

        @Test
        void a_failure_of_a_known_kind_is_one_statement_and_of_a_new_one_two() {
            fail(store, failure("disk 1 full"));
            assertThat(statementsBesideTheClock())
                    .hasSize(2)
                    .first()
                    .asString()
                    .contains("INSERT INTO tasktube_failure");
            fail(store, failure("disk 2 full"));
            assertThat(statementsBesideTheClock()).singleElement().asString().contains("UPDATE tasktube_task");
            fail(server(), failure("disk 3 full"));
            assertThat(rows()).isEqualTo(1);
        }

        @Test
        void a_deleted_row_is_restored_as_it_was_by_a_server_that_knows_it() {
            TaskFailure failure = failure("disk 1 full");
            fail(store, failure);
            database.execute("DELETE FROM tasktube_failure");
            pass(Duration.ofMinutes(1));
            checkAll();
            assertThat(rows()).isEqualTo(1);
            assertThat(group().fingerprint()).isEqualTo(failure.fingerprint());
            assertThat(group().first()).isEqualTo(TestStore.START);
        }

        @Test
        void a_deleted_row_is_restored_from_a_tasks_texts_by_any_other_server() {
            Task task = fail(store, failure("disk 1 full"));
            Fingerprint kind = failure("disk 2 full").fingerprint();
            database.execute("DELETE FROM tasktube_failure");
            TaskStore other = server();
            assertThat(group().fingerprint()).as("before the check").isEqualTo(kind);
            assertThat(other.reads()
                            .meta(tube, task.id())
                            .orElseThrow()
                            .lastFailure()
                            .orElseThrow()
                            .fingerprint())
                    .isEqualTo(kind);
            other.checkFailureKinds();
            assertThat(rows()).isEqualTo(1);
            assertThat(group().fingerprint()).isEqualTo(kind);
        }

        @Test
        void a_deleted_row_of_a_kind_without_a_task_is_written_by_its_next_failure_after_a_check() {
            Task task = fail(store, failure("disk 1 full"));
            Calls.delete(store, tube, task.id());
            database.execute("DELETE FROM tasktube_failure");
            checkAll();
            assertThat(rows()).isZero();
            fail(store, failure("disk 2 full"));
            assertThat(rows()).isEqualTo(1);
        }

        @Test
        void a_kind_goes_when_no_task_has_had_it_for_the_retention() {
            Task task = fail(store, failure("disk 1 full"));
            pass(FailureKinds.RETENTION.multipliedBy(2));
            checkAll();
            assertThat(rows()).as("a task has it").isEqualTo(1);
            Calls.delete(store, tube, task.id());
            checkAll();
            pass(FailureKinds.RETENTION.minusMillis(1));
            checkAll();
            assertThat(rows()).as("not yet").isEqualTo(1);
            pass(Duration.ofMillis(1));
            checkAll();
            assertThat(rows()).isZero();
            checkAll();
            fail(store, failure("disk 2 full"));
            assertThat(rows()).as("it returns").isEqualTo(1);
            assertThat(group().first()).isEqualTo(now);
        }

        @Test
        void a_kind_that_a_task_has_again_stays() {
            Calls.delete(store, tube, fail(store, failure("disk 1 full")).id());
            checkAll();
            fail(store, failure("disk 2 full"));
            pass(FailureKinds.RETENTION);
            checkAll();
            Calls.truncate(store, tube);
            checkAll();
            assertThat(rows()).isEqualTo(1);
            assertThat(store.failureGroups(10)).isEmpty();
        }

        @Test
        void checks_read_all_kinds_in_parts() {
            for (int i = 0; i < 1_200; i++) {
                database.execute(
                        "INSERT INTO tasktube_failure VALUES (" + (i - 600) + ", 'a', '', 'b', 'c', TIMESTAMP WITH"
                                + " TIME ZONE '2029-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2029-01-01 00:00:00+00')");
            }
            store.checkFailureKinds();
            assertThat(rows()).isEqualTo(700);
            store.checkFailureKinds();
            store.checkFailureKinds();
            assertThat(rows()).isZero();
        }

        @Test
        @Tag("full")
        void more_kinds_than_a_server_remembers_are_all_kept() {
            for (int i = 0; i < KnownKinds.MOST + 10; i++) {
                fail(store, new TaskFailure("a.Failure" + i, "", ""));
            }
            fail(store, new TaskFailure("a.Failure0", "", ""));
            checkAll();
            assertThat(rows()).isEqualTo(KnownKinds.MOST + 10);
            assertThat(store.failureGroups(1)).singleElement().satisfies(group -> {
                assertThat(group.fingerprint().type()).isEqualTo("a.Failure0");
                assertThat(group.total()).isEqualTo(2);
            });
        }

        @Test
        void a_check_waits_for_no_check_of_another_server() throws Exception {
            Calls.delete(store, tube, fail(store, failure("disk 1 full")).id());
            try (Connection other = database.dataSource().getConnection();
                    Statement on = other.createStatement()) {
                other.setAutoCommit(false);
                on.execute("SELECT fingerprint FROM tasktube_failure FOR UPDATE");
                assertTimeoutPreemptively(Duration.ofSeconds(1), store::checkFailureKinds);
                other.rollback();
                other.setAutoCommit(true);
            }
        }

        @Test
        void a_task_of_a_dropped_tube_is_in_no_group() {
            fail(store, failure("disk 1 full"));
            database.execute("DELETE FROM tasktube_tube");
            assertThat(store.failureGroups(10)).isEmpty();
        }
    }
}
