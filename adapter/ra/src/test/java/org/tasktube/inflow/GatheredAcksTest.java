package org.tasktube.inflow;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.AdapterState;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.ra.JtaTransactions;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A delivery whose transaction has no resource needs no commit of its own for its ack. */
@Timeout(120)
@Tag("large")
class GatheredAcksTest {

    private static final int SESSIONS = 2;

    private final AtomicInteger begun = new AtomicInteger();
    private final Queue<Integer> ends = new ConcurrentLinkedQueue<>();

    /** Learns how the transaction of this delivery ends. */
    private void watchEnd() {
        Jta.REGISTRY.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                // Only the end is of interest
            }

            @Override
            public void afterCompletion(int status) {
                ends.add(status);
            }
        });
    }

    private static void atCommit(Runnable work) {
        Jta.REGISTRY.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                work.run();
            }

            @Override
            public void afterCompletion(int status) {
                // Nothing is left to do
            }
        });
    }

    private static void outside(Runnable work) throws Exception {
        var mine = Jta.MANAGER.suspend();
        work.run();
        Jta.MANAGER.resume(mine);
    }

    /** A table that nobody but the bean uses; its lock holds up what the bean has in common with an ack. */
    private static void insert(RunningAdapter adapter, long task) {
        try (Connection connection = adapter.pool().getConnection();
                Statement insert = connection.createStatement()) {
            insert.executeUpdate("INSERT INTO work (task) VALUES (" + task + ")");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long rows(RunningAdapter adapter) {
        try {
            return adapter.sql().number("SELECT count(*) FROM work");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long commits(RunningAdapter adapter) {
        try {
            return adapter.sql().number("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_failed_task_that_is_locked_holds_up_neither_a_session_nor_the_claims(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind);
                Connection other = adapter.database().getConnection();
                Statement lock = other.createStatement()) {
            List<Task> locked = adapter.tube().putAll(Collections.nCopies(SESSIONS, "fails"), PutOptions.defaults());
            Set<Long> fails = locked.stream().map(Task::id).collect(Collectors.toSet());
            other.setAutoCommit(false);
            CountDownLatch isLocked = new CountDownLatch(1);
            adapter.activate(
                    new Bean(task -> {
                        begun.incrementAndGet();
                        if (fails.contains(task.id())) {
                            isLocked.await();
                            throw new IllegalStateException("no answer");
                        }
                    }),
                    spec -> {
                        spec.setMaxSession("" + SESSIONS);
                        spec.setMaxAttempts("1");
                    });
            Eventually.holds(() -> begun.get() == SESSIONS, "each session has one");
            lock.executeQuery("SELECT id FROM tasktube_task FOR UPDATE").close();
            isLocked.countDown();
            adapter.tube().putAll(Collections.nCopies(100, "works"), PutOptions.defaults());
            Eventually.holds(() -> adapter.tube().statistics().total() == SESSIONS, "all others are acked");
            assertThat(begun).hasValue(100 + SESSIONS);
            other.rollback();
            locked.forEach(adapter::awaitBuried);
            assertThat(begun).hasValue(100 + SESSIONS);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_locked_task_holds_up_neither_the_deliveries_nor_the_acks_of_others(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind);
                Connection other = adapter.database().getConnection()) {
            List<Task> tasks = adapter.tube().putAll(Collections.nCopies(200, "x"), PutOptions.defaults());
            // Each session works on one of the first tasks until the lock is there
            Task locked = tasks.get(1);
            other.setAutoCommit(false);
            try (Statement lock = other.createStatement()) {
                CountDownLatch isLocked = new CountDownLatch(1);
                adapter.activate(
                        new Bean(task -> {
                            begun.incrementAndGet();
                            isLocked.await();
                        }),
                        spec -> spec.setMaxSession("" + SESSIONS));
                Eventually.holds(
                        () -> adapter.tube().peek(locked.id()).orElseThrow().state() == TaskState.TAKEN, "it is taken");
                lock.executeQuery("SELECT id FROM tasktube_task WHERE id = " + locked.id() + " FOR UPDATE");
                isLocked.countDown();
                Eventually.holds(() -> adapter.tube().statistics().total() == 1, "all others are acked");
                assertThat(begun).hasValue(200);
                other.rollback();
            }
            adapter.awaitRemoved(locked);
            assertThat(begun).hasValue(200);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "POSTGRESQL")
    @Tag("full")
    void acks_share_statements_and_commits(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            int tasks = 3_000;
            for (int i = 0; i < tasks; i += 1_000) {
                adapter.tube().putAll(Collections.nCopies(1_000, "x"), PutOptions.defaults());
            }
            long before = commits(adapter);
            adapter.activate(new Bean(task -> {}), spec -> spec.setMaxSession("8"));
            Eventually.holds(() -> adapter.tube().statistics().total() == 0, "all are acked");
            Eventually.holds(() -> commits(adapter) > before, "the database has counted");
            assertThat(commits(adapter) - before).isLessThan(tasks * 3 / 4);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void work_that_comes_at_the_commit_and_the_ack_are_one_transaction(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.execute("CREATE TABLE work (task bigint PRIMARY KEY)");
            Bean bean = new Bean(task -> {
                watchEnd();
                if (begun.incrementAndGet() == 1) {
                    outside(() -> adapter.tube().delete(task.id()));
                }
                atCommit(() -> insert(adapter, task.id()));
            });
            adapter.activate(bean, spec -> spec.setMaxSession("1"));
            adapter.tube().put("deleted while the bean works");
            Eventually.holds(() -> ends.size() == 1, "the end of the first delivery");
            assertThat(ends).containsExactly(Status.STATUS_ROLLEDBACK);
            assertThat(rows(adapter)).isZero();
            adapter.awaitRemoved(adapter.tube().put("acked"));
            assertThat(rows(adapter)).isEqualTo(1);
            assertThat(begun).hasValue(2);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_transaction_that_is_rolled_back_at_its_end_fails_the_attempt(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                if (begun.incrementAndGet() == 1) {
                    atCommit(Jta.TRANSACTIONS::setRollbackOnly);
                }
            });
            adapter.activate(bean);
            Task task = adapter.tube().put("x");
            adapter.awaitRemoved(task);
            assertThat(begun).hasValue(2);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_task_that_lost_its_holder_is_told_and_does_not_keep_the_others(TestDatabase kind) {
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                if (task.text().equals("deleted")) {
                    outside(() -> adapter.tube().delete(task.id()));
                }
                watchEnd();
            });
            adapter.activate(bean);
            adapter.tube().putAll(List.of("a", "deleted", "b"), PutOptions.defaults());
            Eventually.holds(() -> adapter.tube().statistics().total() == 0, "all are gone");
            assertThat(log.first("TASKTUBE0204")).contains("lost its holder");
            assertThat(ends).containsOnly(Status.STATUS_COMMITTED);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void acks_that_the_database_refuses_are_made_later_and_the_bean_is_not_called_again(TestDatabase kind)
            throws Exception {
        CountDownLatch all = new CountDownLatch(5);
        CountDownLatch away = new CountDownLatch(1);
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                begun.incrementAndGet();
                all.countDown();
                away.await();
            });
            adapter.activate(bean, spec -> spec.setMaxSession("5"));
            List<Task> tasks = adapter.tube().putAll(Collections.nCopies(5, "x"), PutOptions.defaults());
            all.await();
            adapter.away(true);
            adapter.awaitState(AdapterState.WAITING);
            away.countDown();
            adapter.away(false);
            adapter.awaitState(AdapterState.RUNNING);
            tasks.forEach(adapter::awaitRemoved);
            assertThat(begun).hasValue(5);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void an_activation_ends_after_its_acks(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.tube().putAll(Collections.nCopies(500, "x"), PutOptions.defaults());
            adapter.activate(new Bean(task -> begun.incrementAndGet()));
            Eventually.holds(() -> begun.get() > 50, "some are done");
            adapter.activations().stopAll();
            assertThat(adapter.tube().statistics().taken()).isZero();
            assertThat(adapter.tube().statistics().total()).isEqualTo(500 - begun.get());
        }
    }

    /** As an observer of CDI before the completion, which uses JPA for the first time. */
    @ParameterizedTest
    @DatabaseSource
    void work_of_a_step_that_another_step_adds_at_the_commit_and_the_ack_are_one_transaction(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.execute("CREATE TABLE work (task bigint PRIMARY KEY)");
            Bean bean = new Bean(task -> {
                watchEnd();
                outside(() -> adapter.tube().delete(task.id()));
                Jta.MANAGER.getTransaction().registerSynchronization(new Synchronization() {
                    @Override
                    public void beforeCompletion() {
                        atCommit(() -> insert(adapter, task.id()));
                    }

                    @Override
                    public void afterCompletion(int status) {
                        // Only the commit is of interest
                    }
                });
            });
            adapter.activate(bean);
            adapter.tube().put("deleted while the bean works");
            Eventually.holds(() -> ends.size() == 1, "the end of the delivery");
            assertThat(ends).containsExactly(Status.STATUS_ROLLEDBACK);
            assertThat(rows(adapter)).isZero();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_connection_that_hangs_holds_up_one_thread(TestDatabase kind) {
        CountDownLatch end = new CountDownLatch(1);
        Set<Thread> workers = ConcurrentHashMap.newKeySet();
        AtomicBoolean hangs = new AtomicBoolean();
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.beforeConnect(() -> {
                if (workers.contains(Thread.currentThread()) && hangs.compareAndSet(false, true)) {
                    await(end);
                }
            });
            Bean bean = new Bean(task -> {
                begun.incrementAndGet();
                workers.add(Thread.currentThread());
            });
            adapter.activate(bean, spec -> spec.setMaxSession("4"));
            adapter.tube().putAll(Collections.nCopies(200, "x"), PutOptions.defaults());
            // The thread that hangs has what had been handed over to it: 4 of each session, and those of the others
            Eventually.holds(
                    () -> begun.get() == 200 && adapter.tube().statistics().total() <= 20, "all others");
            end.countDown();
            Eventually.holds(() -> adapter.tube().statistics().total() == 0, "all are acked");
            assertThat(begun).hasValue(200);
        } finally {
            end.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The server has said that it has committed, and then fails for a reason of its own. */
    @ParameterizedTest
    @DatabaseSource
    void a_delivery_that_has_committed_is_acked_though_its_end_fails(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            AtomicBoolean fails = new AtomicBoolean(true);
            Bean bean = new Bean(task -> begun.incrementAndGet()).withFaults(step -> {
                if (step == Bean.Step.AFTER && fails.getAndSet(false)) {
                    throw new IllegalStateException("after the commit");
                }
            });
            adapter.activate(bean);
            adapter.awaitRemoved(adapter.tube().put("x"));
            assertThat(begun).hasValue(1);
        }
    }

    /** Its tasks are no resource of JTA. */
    @ParameterizedTest
    @DatabaseSource
    void a_temporary_tube_of_another_adapter_and_the_ack_are_one_transaction(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind);
                HikariDataSource database = TestDatabase.H2.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode second = new RunningNode(
                        pool, new JtaTransactions(Jta.REGISTRY, () -> Optional.of(Jta.MANAGER)), "second")) {
            Tube other = second.withTemporary().newTube(new ClientConnection(), TubeDefinition.FIFO);
            Bean bean = new Bean(task -> {
                watchEnd();
                outside(() -> adapter.tube().delete(task.id()));
                other.put("y");
            });
            adapter.activate(bean);
            adapter.tube().put("deleted while the bean works");
            Eventually.holds(() -> ends.size() == 1, "the end of the delivery");
            assertThat(ends).containsExactly(Status.STATUS_ROLLEDBACK);
            assertThat(other.statistics().total()).isZero();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_slow_listener_holds_up_the_ack_of_its_own_task_only(TestDatabase kind) {
        CountDownLatch second = new CountDownLatch(1);
        CountDownLatch inListener = new CountDownLatch(1);
        AtomicBoolean isTold = new AtomicBoolean();
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.tube().onTaskChange(change -> {
                if (change.event() == TubeEvent.ACK
                        && change.task().orElseThrow().text().equals("first")) {
                    inListener.countDown();
                    await(second);
                    isTold.set(true);
                } else if (change.event() == TubeEvent.ACK) {
                    second.countDown();
                }
            });
            adapter.activate(new Bean(task -> {
                if (task.text().equals("second")) {
                    inListener.await();
                }
            }));
            adapter.tube().putAll(List.of("first", "second"), PutOptions.defaults());
            Eventually.holds(isTold::get, "the listener of the first has learned of the second");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void without_gathering_each_ack_is_in_the_transaction_of_its_delivery(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                watchEnd();
                outside(() -> adapter.tube().delete(task.id()));
            });
            adapter.activate(bean, spec -> spec.setGatherAcks("false"));
            adapter.tube().put("x");
            Eventually.holds(() -> ends.size() == 1, "the end of the delivery");
            assertThat(ends).containsExactly(Status.STATUS_ROLLEDBACK);
        }
    }
}
