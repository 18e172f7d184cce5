package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeFullException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.UnsupportedOptionException;
import org.tasktube.WrongStateException;
import org.tasktube.admin.EditedTask;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** An edited task takes the place of the old one in one transaction, and never that of a task that a session holds. */
@Timeout(60)
class EditedTaskTest {

    abstract static class Rules {

        private static final AtomicReference<Runnable> BEFORE_REMOVAL = new AtomicReference<>();
        private static HikariDataSource database;
        private static AgroalDataSource pool;
        private static RunningNode running;
        private final ClientConnection connection = new ClientConnection();
        private Tube orders;

        static void start(TestDatabase kind, boolean inMemory) {
            database = kind.create();
            pool = Jta.pool(database);
            running = new RunningNode(HookedDataSource.of(pool, Rules::begins), Jta.TRANSACTIONS, "app-1");
            if (inMemory) {
                running.withTemporary();
            }
        }

        private static void begins(String statement) {
            if (statement.contains("DELETE FROM tasktube_task WHERE id")) {
                Optional.ofNullable(BEFORE_REMOVAL.getAndSet(null)).ifPresent(Runnable::run);
            }
        }

        @AfterAll
        static void stop() {
            running.close();
            pool.close();
            database.close();
        }

        @BeforeEach
        void create() {
            orders = running.newTube(connection, TubeDefinition.UTUBETTL);
        }

        private Task edit(long id, EditedTask edited) throws Exception {
            Jta.MANAGER.begin();
            Task task;
            try {
                task = admin().retryEdited(orders.name(), id, edited);
            } catch (RuntimeException e) {
                Jta.MANAGER.rollback();
                throw e;
            }
            assertThat(Jta.commits()).isTrue();
            return task;
        }

        private TaskAdmin admin() {
            return running.node().admin(connection);
        }

        @Test
        void absent_values_are_those_of_the_old_task_and_its_id_is_in_a_header() throws Exception {
            PutOptions options = PutOptions.defaults()
                    .pri(7)
                    .utube("customer-17")
                    .ttl(Duration.ofHours(5))
                    .ttr(Duration.ofMinutes(4))
                    .header("traceparent", "00-1");
            Task old = orders.putUnique("order-1", "old", options, OnConflict.FAIL);
            orders.bury(old.id());
            Task edited = edit(old.id(), EditedTask.of(TaskData.of("new")));
            assertThat(orders.peek(old.id())).isEmpty();
            Task now = orders.peek(edited.id()).orElseThrow();
            TaskMeta meta = orders.meta(edited.id()).orElseThrow();
            assertThat(now.text()).isEqualTo("new");
            assertThat(now.state()).isEqualTo(TaskState.READY);
            assertThat(now.pri()).isEqualTo(7);
            assertThat(now.utube()).contains("customer-17");
            assertThat(now.headers())
                    .isEqualTo(Map.of("traceparent", "00-1", TaskAdmin.EDITED_FROM, orders.name() + "/" + old.id()));
            assertThat(meta.uniqueKey()).contains("order-1");
            assertThat(meta.ttl()).contains(Duration.ofHours(5));
            assertThat(meta.ttr()).contains(Duration.ofMinutes(4));
            assertThat(orders.statistics().total()).isEqualTo(1);
            Task again = edit(edited.id(), EditedTask.of(TaskData.of("newer")));
            assertThat(again.headers()).containsEntry(TaskAdmin.EDITED_FROM, orders.name() + "/" + edited.id());
        }

        @Test
        void given_values_replace_those_of_the_old_task() throws Exception {
            Task old = orders.put("old", PutOptions.defaults().pri(7).header("a", "1"));
            Task edited = edit(
                    old.id(),
                    new EditedTask(
                            Optional.of(TaskData.of("new")),
                            OptionalInt.of(3),
                            Optional.of(Duration.ofHours(1)),
                            Optional.of(Duration.ofMinutes(1)),
                            Optional.of(Duration.ofMinutes(2)),
                            Optional.of("u"),
                            Optional.of(Map.of()),
                            false));
            assertThat(edited.state()).isEqualTo(TaskState.DELAYED);
            assertThat(edited.pri()).isEqualTo(3);
            assertThat(edited.utube()).contains("u");
            assertThat(edited.headers()).containsOnlyKeys(TaskAdmin.EDITED_FROM);
        }

        @Test
        void without_data_the_new_task_has_that_of_the_old_one() throws Exception {
            Task old = orders.put("old");
            Task edited = edit(
                    old.id(),
                    new EditedTask(
                            Optional.empty(),
                            OptionalInt.of(3),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            false));
            assertThat(edited.text()).isEqualTo("old");
            assertThat(edited.pri()).isEqualTo(3);
        }

        @Test
        void the_old_task_stays_with_its_key_if_it_is_to_be_kept() throws Exception {
            Task old = orders.putUnique("order-1", "old", PutOptions.defaults(), OnConflict.FAIL);
            Task edited = edit(
                    old.id(),
                    new EditedTask(
                            Optional.of(TaskData.of("new")),
                            OptionalInt.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            true));
            assertThat(orders.meta(old.id()).orElseThrow().uniqueKey()).contains("order-1");
            assertThat(orders.meta(edited.id()).orElseThrow().uniqueKey()).isEmpty();
        }

        @Test
        void a_taken_task_is_refused_and_stays_with_its_holder() throws Exception {
            orders.put("old");
            Task taken = orders.take(Duration.ZERO).orElseThrow();
            assertThatThrownBy(() -> edit(taken.id(), EditedTask.of(TaskData.of("new"))))
                    .isInstanceOf(WrongStateException.class)
                    .hasMessageContaining("is TAKEN and should be READY, DELAYED, BURIED or DONE");
            orders.ack(taken);
            assertThat(orders.statistics().total()).isZero();
        }

        @Test
        void a_rollback_leaves_the_old_task_and_no_new_one() throws Exception {
            Task old = orders.put("old");
            Jta.MANAGER.begin();
            long edited = admin().retryEdited(orders.name(), old.id(), EditedTask.of(TaskData.of("new")))
                    .id();
            Jta.MANAGER.rollback();
            assertThat(orders.peek(old.id())).isPresent();
            assertThat(orders.peek(edited)).isEmpty();
            assertThat(orders.statistics().ready()).isEqualTo(1);
        }

        @Test
        void refusals_name_the_fault() throws Exception {
            Task old = orders.put("old");
            EditedTask plain = EditedTask.of(TaskData.of("new"));
            assertThatThrownBy(() -> admin().retryEdited(orders.name(), old.id(), plain))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("begin one by UserTransaction");
            assertThatThrownBy(() -> edit(Long.MAX_VALUE, plain)).isInstanceOf(TaskNotFoundException.class);
            String there = orders.name();
            orders = running.newTube(connection, TubeDefinition.FIFO);
            Task ofFifo = orders.put("x");
            assertThat(edit(ofFifo.id(), plain).headers()).hasSize(1);
            EditedTask withPri = new EditedTask(
                    Optional.of(TaskData.of("x")),
                    OptionalInt.of(1),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    false);
            Task another = orders.put("x");
            assertThatThrownBy(() -> edit(another.id(), withPri)).isInstanceOf(UnsupportedOptionException.class);
            assertThat(orders.peek(another.id())).isPresent();
            Jta.MANAGER.begin();
            assertThatThrownBy(() -> admin().retryEdited("nosuchtube", old.id(), plain))
                    .isInstanceOf(TubeNotFoundException.class);
            Jta.MANAGER.rollback();
            assertThat(running.node().tube(connection, there).peek(old.id())).isPresent();
        }

        @Test
        void in_a_full_tube_the_removed_task_makes_room_and_a_kept_one_does_not() throws Exception {
            String name = RunningNode.newName();
            orders = running.node().createTube(connection, TubeDefinition.limfifottl(name, 1));
            Task old = orders.put("old");
            EditedTask keeps = new EditedTask(
                    Optional.of(TaskData.of("x")),
                    OptionalInt.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    true);
            assertThatThrownBy(() -> edit(old.id(), keeps)).isInstanceOf(TubeFullException.class);
            Task edited = edit(old.id(), EditedTask.of(TaskData.of("new")));
            assertThat(orders.peek(edited.id())).isPresent();
            assertThat(orders.peek(old.id())).isEmpty();
        }
    }

    abstract static class InDatabase extends Rules {

        @Test
        void a_task_that_is_taken_during_the_edit_is_refused_and_the_transaction_cannot_commit() throws Exception {
            Task old = super.orders.put("old");
            Rules.BEFORE_REMOVAL.set(() -> CompletableFuture.runAsync(
                            () -> assertThat(super.orders.take(Duration.ZERO)).isPresent())
                    .join());
            Jta.MANAGER.begin();
            assertThatThrownBy(() ->
                            super.admin().retryEdited(super.orders.name(), old.id(), EditedTask.of(TaskData.of("x"))))
                    .isInstanceOf(WrongStateException.class);
            assertThat(Jta.commits()).isFalse();
            assertThat(super.orders.peek(old.id()).orElseThrow().state()).isEqualTo(TaskState.TAKEN);
            assertThat(super.orders.statistics().total()).isEqualTo(1);
        }
    }

    @Nested
    class OnH2 extends InDatabase {
        @BeforeAll
        static void open() {
            start(TestDatabase.H2, false);
        }
    }

    @Nested
    class OnPostgreSql extends InDatabase {
        @BeforeAll
        static void open() {
            start(TestDatabase.POSTGRESQL, false);
        }
    }

    @Nested
    class Temporary extends Rules {
        @BeforeAll
        static void open() {
            start(TestDatabase.H2, true);
        }
    }
}
