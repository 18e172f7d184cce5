package org.tasktube.itest;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeStatistics;
import org.tasktube.itest.app.Deployments;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.app.Order;
import org.tasktube.itest.app.Producer;
import org.tasktube.itest.app.Rows;

import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A put, or any other operation, and the caller's own row: both or neither, on one resource, in one phase. */
@ArquillianTest
@Tag("arquillian")
class TransactionIT {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @EJB
    private Producer producer;

    @EJB
    private Rows rows;

    @Resource
    private UserTransaction transaction;

    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    private TransactionSynchronizationRegistry registry;

    private String name;
    private String text;

    @Deployment
    static WebArchive application() {
        return Deployments.application();
    }

    @BeforeEach
    void newTube() {
        name = "t" + UUID.randomUUID().toString().substring(0, 8);
        text = "row-" + name;
        try (TubeConnection connection = tubes.getConnection()) {
            connection.createTube(TubeDefinition.fifottl(name));
        }
    }

    private TubeStatistics statistics() {
        try (TubeConnection connection = tubes.getConnection()) {
            return connection.tube(name).statistics();
        }
    }

    private List<Task> tasks(TaskState state) {
        try (TubeConnection connection = tubes.getConnection()) {
            return connection.tube(name).tasks(state, 0, 100);
        }
    }

    private void assertPut(int tasks) {
        assertThat(tasks(TaskState.READY)).hasSize(tasks);
        assertThat(statistics().ready()).isEqualTo(tasks);
        assertThat(rows.count(text)).isEqualTo(tasks);
    }

    @Test
    void put_and_row_commit_together() {
        producer.putWithRow(name, text);
        assertPut(1);
    }

    @Test
    void an_exception_undoes_put_and_row() {
        assertThatThrownBy(() -> producer.putWithRowAndThrow(name, text)).hasMessageContaining("thrown after put");
        assertPut(0);
    }

    @Test
    void set_rollback_only_undoes_put_and_row() {
        producer.inTransactionRolledBack(name, tube -> {
            tube.put(text);
            rows.add(text);
        });
        assertPut(0);
    }

    @Test
    void a_client_that_rolls_back_undoes_put_and_row() throws Exception {
        transaction.begin();
        producer.putWithRow(name, text);
        transaction.rollback();
        assertPut(0);
        transaction.begin();
        producer.putWithRow(name, text);
        transaction.commit();
        assertPut(1);
    }

    @Test
    void an_object_of_the_application_goes_in_and_out_as_json() {
        producer.outsideTransactions(name, tube -> {
            tube.put(new Order(7, "Ada"));
            assertThat(tube.peekReady().orElseThrow().text()).contains("\"customer\":\"Ada\"");
            assertThat(take(tube).data(Order.class)).isEqualTo(new Order(7, "Ada"));
        });
    }

    @Test
    void outside_a_transaction_each_call_commits_by_itself() {
        producer.outsideTransactions(name, tube -> {
            tube.put("a");
            assertThat(tasks(TaskState.READY)).hasSize(1);
            Task task = tube.take(ZERO).orElseThrow();
            assertThat(tasks(TaskState.TAKEN)).hasSize(1);
            tube.ack(task);
            assertThat(statistics().total()).isZero();
        });
    }

    @Test
    void nothing_is_visible_and_no_waiter_woken_before_the_commit() throws Exception {
        transaction.begin();
        producer.inTransaction(name, tube -> {
            tube.put("a");
            assertThat(tube.peekReady()).as("the transaction sees its own put").isPresent();
        });
        assertThat(inOtherThread(tube -> tube.peekReady().isPresent())).isFalse();
        assertThat(statistics().ready()).isZero();
        transaction.commit();
        assertThat(inOtherThread(tube -> tube.take(ZERO).isPresent())).isTrue();
    }

    private boolean inOtherThread(java.util.function.Predicate<Tube> check) throws Exception {
        return CompletableFuture.supplyAsync(() -> {
                    try (TubeConnection connection = tubes.getConnection()) {
                        return check.test(connection.tube(name));
                    }
                })
                .get();
    }

    @Test
    void a_rollback_undoes_every_operation_in_a_temporary_tube_too() {
        name = newTemporaryTube();
        a_rollback_undoes_every_operation();
    }

    private String newTemporaryTube() {
        String temporary = name + "m";
        try (TubeConnection connection = tubes.getConnection()) {
            connection.createTube(TubeDefinition.fifottl(temporary).asTemporary());
        }
        return temporary;
    }

    @Test
    void memory_and_database_commit_together() throws Exception {
        String temporary = newTemporaryTube();
        transaction.begin();
        producer.inTransaction(temporary, tube -> tube.put("in memory"));
        producer.putWithRow(name, text);
        transaction.rollback();
        assertPut(0);
        producer.outsideTransactions(
                temporary, tube -> assertThat(tube.peekReady()).isEmpty());
        transaction.begin();
        producer.inTransaction(temporary, tube -> tube.put("in memory"));
        producer.putWithRow(name, text);
        transaction.commit();
        assertPut(1);
        transaction.begin();
        producer.inTransaction(temporary, tube -> tube.ack(take(tube)));
        producer.inTransaction(name, tube -> tube.ack(take(tube)));
        transaction.commit();
        producer.outsideTransactions(
                temporary, tube -> assertThat(tube.statistics().total()).isZero());
        assertThat(statistics().total()).isZero();
    }

    @Test
    void a_rollback_frees_the_slot_in_a_full_tube() throws Exception {
        String limited = name + "l";
        try (TubeConnection connection = tubes.getConnection()) {
            connection.createTube(TubeDefinition.limfifottl(limited, 1));
        }
        transaction.begin();
        producer.inTransaction(limited, tube -> tube.put("a"));
        assertThat(putInto(limited, ZERO)).as("no slot is free").isEmpty();
        CompletableFuture<Optional<Task>> waiting =
                CompletableFuture.supplyAsync(() -> putInto(limited, Duration.ofMinutes(1)));
        transaction.rollback();
        assertThat(waiting.get()).isPresent();
    }

    private Optional<Task> putInto(String tube, Duration timeout) {
        try (TubeConnection connection = tubes.getConnection()) {
            return CompletableFuture.supplyAsync(() -> connection.tube(tube).put("b", PutOptions.defaults(), timeout))
                    .join();
        }
    }

    @Test
    void the_next_task_of_a_sub_queue_is_unblocked_by_the_commit_of_the_ack() throws Exception {
        String subQueues = name + "u";
        try (TubeConnection connection = tubes.getConnection()) {
            connection.createTube(TubeDefinition.utube(subQueues));
        }
        producer.outsideTransactions(subQueues, tube -> tube.putAll(List.of("a", "b"), inSubQueue("x")));
        transaction.begin();
        producer.inTransaction(subQueues, tube -> tube.ack(take(tube)));
        producer.outsideTransactions(subQueues, tube -> assertThat(tube.take(ZERO))
                .as("the first is still there for others")
                .isEmpty());
        transaction.rollback();
        producer.outsideTransactions(
                subQueues, tube -> assertThat(take(tube).text()).isEqualTo("a"));
        Eventually.holds(
                () -> {
                    try (TubeConnection connection = tubes.getConnection()) {
                        return connection.tube(subQueues).peekReady().isPresent();
                    }
                },
                "the closed connection's task is ready again");
        transaction.begin();
        producer.inTransaction(subQueues, tube -> tube.ack(take(tube)));
        transaction.commit();
        producer.outsideTransactions(
                subQueues, tube -> assertThat(take(tube).text()).isEqualTo("b"));
    }

    private static PutOptions inSubQueue(String utube) {
        return PutOptions.defaults().utube(utube);
    }

    @Test
    void a_rollback_undoes_every_operation() {
        for (Consumer<Tube> operation : operationsOnA()) {
            producer.outsideTransactions(name, tube -> {
                tube.truncate();
                tube.put("a", PutOptions.defaults().ttr(Duration.ofMinutes(1)));
                tube.bury(tube.put("b"));
            });
            TubeStatistics before = statistics();
            List<Task> ready = tasks(TaskState.READY);
            producer.inTransactionRolledBack(name, operation);
            assertThat(tasks(TaskState.READY)).isEqualTo(ready);
            assertThat(tasks(TaskState.BURIED)).hasSize(1);
            assertThat(statistics()).isEqualTo(before);
        }
    }

    private static List<Consumer<Tube>> operationsOnA() {
        List<Consumer<Tube>> operations = new ArrayList<>();
        operations.add(tube -> tube.put("c"));
        operations.add(TransactionIT::take);
        operations.add(tube -> tube.ack(take(tube)));
        operations.add(tube -> tube.ack(take(tube), TaskResult.completed("r")));
        operations.add(tube -> tube.ackAll(tube.take(5, ZERO)));
        operations.add(tube -> tube.putAll(List.of("d", "e"), PutOptions.defaults()));
        operations.add(tube -> tube.put("f", PutOptions.defaults().asUrgent()));
        operations.add(tube -> tube.putUnique("g"));
        operations.add(tube -> tube.release(take(tube)));
        operations.add(tube -> tube.requeue(take(tube)));
        operations.add(tube -> tube.bury(take(tube)));
        operations.add(tube -> tube.touch(take(tube), Duration.ofSeconds(1)));
        operations.add(tube -> tube.heartbeat(take(tube)));
        operations.add(tube -> tube.bury(tube.peekReady().orElseThrow()));
        operations.add(Tube::kick);
        operations.add(tube -> tube.dig(tube.peekBuried().orElseThrow().id()));
        operations.add(tube -> tube.delete(tube.peekReady().orElseThrow().id()));
        operations.add(Tube::truncate);
        return operations;
    }

    private static Task take(Tube tube) {
        return tube.take(ZERO).orElseThrow();
    }

    @Test
    void a_rollback_of_an_ack_leaves_the_task_with_its_holder() throws Exception {
        try (TubeConnection connection = tubes.getConnection()) {
            Tube tube = connection.tube(name);
            tube.put("a");
            Task task = take(tube);
            transaction.begin();
            tube.ack(task);
            transaction.rollback();
            assertThat(tasks(TaskState.TAKEN)).containsExactly(task);
            tube.ack(task);
        }
        assertThat(statistics().total()).isZero();
    }

    @Test
    void what_a_closed_handle_took_belongs_to_the_transaction_until_that_ends() throws Exception {
        producer.outsideTransactions(name, tube -> tube.put("a"));
        transaction.begin();
        producer.inTransaction(name, tube -> take(tube));
        assertThat(statistics().ready()).isEqualTo(1);
        transaction.commit();
        Eventually.holds(() -> tasks(TaskState.READY).size() == 1, "released after the commit");
        Eventually.holds(() -> statistics().ready() == 1 && statistics().taken() == 0, "and counted");
    }

    @Test
    void take_and_ack_in_one_transaction_commit_together() throws Exception {
        producer.outsideTransactions(name, tube -> tube.put("a"));
        transaction.begin();
        producer.inTransaction(name, tube -> tube.ack(take(tube)));
        rows.add(text);
        transaction.commit();
        assertThat(statistics().total()).isZero();
        assertThat(rows.count(text)).isEqualTo(1);
    }

    /** As a class that is missing in the application, or an assertion that fails there. */
    private void throwsAnErrorAfterTheTransaction() {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                // It fails later
            }

            @Override
            public void afterCompletion(int status) {
                throw new AssertionError("an Error of the application's, after the transaction");
            }
        });
    }

    @Test
    void a_task_that_was_taken_beside_a_synchronization_that_throws_an_error_is_released_when_its_connection_closes()
            throws Exception {
        producer.outsideTransactions(name, tube -> tube.put("a"));
        try (TubeConnection connection = tubes.getConnection()) {
            transaction.begin();
            take(connection.tube(name));
            throwsAnErrorAfterTheTransaction();
            transaction.commit();
        }
        Eventually.holds(() -> tasks(TaskState.TAKEN).isEmpty(), "no session holds it");
    }

    @Test
    void a_put_into_memory_beside_a_synchronization_that_throws_an_error_is_there_after_the_commit() throws Exception {
        try (TubeConnection connection = tubes.getConnection()) {
            Tube tube = connection.createTube(TubeDefinition.fifo(name + "m").asTemporary());
            transaction.begin();
            tube.put("a");
            throwsAnErrorAfterTheTransaction();
            transaction.commit();
            assertThat(tube.take(Duration.ofMinutes(1))).isPresent();
        }
    }

    @Test
    void an_ack_in_memory_beside_a_synchronization_that_throws_an_error_frees_its_slot() throws Exception {
        try (TubeConnection connection = tubes.getConnection()) {
            Tube tube = connection.createTube(
                    TubeDefinition.limfifottl(name + "m", 1).asTemporary());
            tube.put("a");
            Task task = take(tube);
            transaction.begin();
            tube.ack(task);
            throwsAnErrorAfterTheTransaction();
            transaction.commit();
            assertThat(tube.put("b", PutOptions.defaults(), Duration.ofMinutes(1)))
                    .isPresent();
        }
    }

    @Test
    void a_tube_created_in_a_transaction_is_there_at_once_and_stays_after_a_rollback() throws Exception {
        String other = name + "x";
        transaction.begin();
        try (TubeConnection connection = tubes.getConnection()) {
            connection.createTube(TubeDefinition.fifo(other)).put("a");
        }
        // As a bean of REQUIRES_NEW does
        assertThat(CompletableFuture.supplyAsync(() -> putInto(other, ZERO)).join())
                .isPresent();
        transaction.rollback();
        try (TubeConnection connection = tubes.getConnection()) {
            assertThat(connection.tube(other).statistics().total()).isEqualTo(1);
        }
    }

    /** Counted in what the transaction manager itself writes at TRACE. */
    @Test
    void put_and_row_are_one_resource_and_never_prepared() throws Exception {
        Path log = Path.of(System.getProperty("jboss.server.log.dir"), "server.log");
        long from = Files.size(log);
        Logger arjuna = Logger.getLogger("com.arjuna");
        Level usual = arjuna.getLevel();
        arjuna.setLevel(Level.FINEST);
        producer.putWithRow(name, text);
        arjuna.setLevel(usual);
        String trace = readFrom(log, from);
        assertThat(count(trace, "XAOnePhaseResource.commit")
                        + count(trace, "XAResourceRecord.topLevelOnePhaseCommit")
                        + count(trace, "LastResourceRecord")
                        + count(trace, "onePhaseCommit"))
                .as("one-phase commits in the trace: %s", trace)
                .isPositive();
        assertThat(count(trace, "TransactionImple.enlistResource")).as(trace).isEqualTo(1);
        assertThat(count(trace, "XAResourceRecord.topLevelPrepare")).as(trace).isZero();
        assertThat(count(trace, "BasicAction::prepare")).as(trace).isZero();
    }

    private static String readFrom(Path file, long position) throws IOException {
        byte[] all = Files.readAllBytes(file);
        return new String(all, (int) position, all.length - (int) position, StandardCharsets.UTF_8);
    }

    private static int count(String text, String part) {
        return text.split(java.util.regex.Pattern.quote(part), -1).length - 1;
    }
}
