package org.tasktube.rules;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskChangeListener;
import org.tasktube.TaskFailure;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.node.Waiting;
import org.tasktube.session.ClientConnection;
import org.tasktube.spi.TubeOption;
import org.tasktube.store.Change;
import org.tasktube.testing.RunningNode;
import org.tasktube.tube.TubeEngine;

import static org.assertj.core.api.Assertions.assertThat;

/** One run of a rule: a new tube of the variant's type, its consumers, and how its mode makes calls. */
final class Scenario implements AutoCloseable {

    private static final long LIMIT_SECONDS = 60;

    /** Longer than any rule takes. */
    static final Duration LONG = Duration.ofSeconds(LIMIT_SECONDS);

    private final Variant variant;
    private final Environment environment;
    private final List<TubeConnection> opened = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ClientConnection bean = ClientConnection.feeding();
    private final TubeConnection connection;
    private final Tube tube;

    /** A step of a rule. */
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }

    Scenario(Variant variant, Environment environment) {
        this.variant = variant;
        this.environment = environment;
        this.connection = connect();
        this.tube = create(UnaryOperator.identity());
    }

    // What it is about

    boolean has(TubeOption option) {
        return variant.type().has(option);
    }

    Mode mode() {
        return variant.mode();
    }

    Type type() {
        return variant.type();
    }

    /** What a variant's tube is defined as, under a new name. */
    TubeDefinition define() {
        TubeDefinition definition = variant.type().define(RunningNode.newName());
        return variant.store() == Store.TEMPORARY ? definition.asTemporary() : definition;
    }

    Tube tube() {
        return tube;
    }

    TubeConnection connection() {
        return connection;
    }

    TubeConnectionFactory factory() {
        return environment.server().factory();
    }

    TaskAdmin admin() {
        return connection.unwrap(TaskAdmin.class);
    }

    Tube create(UnaryOperator<TubeDefinition> change) {
        return connection.createTube(change.apply(define()));
    }

    /** These texts in the order in which this type takes them, if they were put in this order. */
    List<String> handedOut(String... texts) {
        List<String> order = new ArrayList<>(List.of(texts));
        if (variant.type() == Type.LIFO) {
            Collections.reverse(order);
        }
        return order;
    }

    static PutOptions with() {
        return PutOptions.defaults();
    }

    // Who works on it

    /** Another connection to the same server. */
    TubeConnection connect() {
        return open(environment.server());
    }

    /** The tube by another connection. */
    Tube another() {
        return connect().tube(tube.name());
    }

    /** A connection to another server. */
    TubeConnection connectElsewhere() {
        return open(environment.other());
    }

    /** The tube on another server. */
    Tube elsewhere() {
        return connectElsewhere().tube(tube.name());
    }

    /** A new tube on whatever server a connection leads to. */
    Tube on(TubeConnection there) {
        return there.createTube(define());
    }

    TubeConnection open(Server server) {
        TubeConnection plain = server.connect();
        TubeConnection made = variant.mode() == Mode.IN_JTA ? InTransactions.each(plain) : plain;
        opened.add(made);
        return made;
    }

    /** A database of this kind and servers on it that no other scenario uses. */
    Environment ownEnvironment() {
        return new Environment(variant.store().database());
    }

    DataSource dataSource() {
        return environment.dataSource();
    }

    /** Does something in the application's own tables. */
    void execute(String sql) {
        try (Connection own = dataSource().getConnection();
                Statement statement = own.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    // How calls are made

    /** Several calls: in one transaction, which commits, in JTA; one after the other outside. */
    void together(Step step) throws Exception {
        if (variant.mode() == Mode.IN_JTA) {
            InTransactions.run(callable(step), true);
        } else {
            step.run();
        }
    }

    /** Several calls in one transaction that rolls back. */
    void undone(Step step) throws Exception {
        InTransactions.run(callable(step), false);
    }

    /** A step in a transaction, and one more on its thread when the transaction has met its fate. */
    void meeting(InTransactions.Fate fate, Step before, Step after) throws Exception {
        InTransactions.meeting(fate, callable(before), callable(after));
    }

    private static Callable<Void> callable(Step step) {
        return () -> {
            step.run();
            return null;
        };
    }

    /** Something that another thread does at the same time, out of this one's transaction. */
    <T> Future<T> later(Callable<T> work) {
        return threads.submit(work);
    }

    /** What another thread, out of this one's transaction, comes to. */
    <T> T apart(Callable<T> work) {
        return get(later(work));
    }

    static <T> T get(Future<T> future) {
        try {
            return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        } catch (Exception e) {
            throw new AssertionError("there was no answer in " + LONG, e);
        }
    }

    /** Has a listener notified as a bean is, until the returned action runs. */
    Runnable listen(String tubeName, TaskChangeListener listener) {
        return environment.server().node().listen(tubeName, listener);
    }

    /** The tasks of a tube that are watched on the server. */
    Set<Long> watched(Tube of) {
        return Waiting.watched(environment.server().node(), of.name());
    }

    /** The text of the task that a bean's next claim finds. */
    Optional<String> claimOn() {
        TubeEngine engine = environment.server().node().find(tube.name()).orElseThrow();
        return engine.claimOn(bean, 1, Long.MAX_VALUE).stream().findFirst().map(Task::text);
    }

    /** Fails the next task as a bean's delivery does that throws this; the task is buried. */
    void fail(Throwable thrown) {
        TubeEngine engine = environment.server().node().find(tube.name()).orElseThrow();
        Task task = engine.claimOn(bean, 1, Long.MAX_VALUE).get(0);
        assertThat(engine.held()
                        .applyOutcome(bean.session(), task, Change.failed(TaskFailure.of(thrown), Optional.empty())))
                .isTrue();
    }

    int removeOldKeys() {
        return Waiting.removeOldKeys(environment.server().node());
    }

    void awaitTakers(int count) {
        Waiting.forTasks(environment.server().node(), tube.name(), count);
    }

    void awaitPutters(Tube full, int count) {
        Waiting.forSlots(environment.server().node(), full.name(), count);
    }

    // Shorthand

    static Task take(Tube tube) {
        return tube.take(Duration.ZERO).orElseThrow(() -> new AssertionError("there is nothing to take"));
    }

    Task take() {
        return take(tube);
    }

    /** Takes all there is, one by one. */
    static List<String> drain(Tube tube) {
        List<String> texts = new ArrayList<>();
        for (List<Task> next = tube.take(1, Duration.ZERO); !next.isEmpty(); next = tube.take(1, Duration.ZERO)) {
            texts.add(next.get(0).text());
        }
        return texts;
    }

    static TaskState state(Tube tube, long id) {
        return tube.peek(id).orElseThrow().state();
    }

    static boolean gone(Tube tube, long id) {
        return tube.peek(id).isEmpty();
    }

    static long calls(Tube tube, TubeEvent event) {
        return tube.statistics().events().get(event);
    }

    /** Held tasks are released without waiting for that: no other scenario uses this tube. */
    @Override
    public void close() {
        threads.shutdownNow();
        opened.forEach(TubeConnection::close);
    }
}
