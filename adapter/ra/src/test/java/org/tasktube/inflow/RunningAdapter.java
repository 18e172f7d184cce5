package org.tasktube.inflow;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import jakarta.resource.ResourceException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.tasktube.AdapterState;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.jca.Starter;
import org.tasktube.node.Node;
import org.tasktube.node.Settings;
import org.tasktube.ra.Containers;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.BoundedWorkManager;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.Outage;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tracing.ServerTracing;
import org.tasktube.tracing.Tracing;

/** A node with real transactions on a real database, threads of a bounded pool, and active beans. */
final class RunningAdapter implements AutoCloseable {

    private final HikariDataSource database;
    private final AgroalDataSource pool;
    private final Outage outage;
    private final BoundedWorkManager threads;
    private final RunningNode running;
    private final Activations activations;
    private final Tube tube;
    private volatile boolean outOfThreads;
    private volatile Thread requesting;

    RunningAdapter(TestDatabase kind) {
        this(kind, new BoundedWorkManager(50, 50), thrown -> false);
    }

    RunningAdapter(TestDatabase kind, BoundedWorkManager threads, Predicate<Throwable> refusal) {
        this(kind.create(), threads, refusal, ServerTracing.NONE);
    }

    RunningAdapter(TestDatabase kind, Tracing tracing) {
        this(kind.create(), new BoundedWorkManager(50, 50), thrown -> false, tracing);
    }

    /** @param database is closed with this */
    RunningAdapter(HikariDataSource database) {
        this(database, new BoundedWorkManager(50, 50), thrown -> false, ServerTracing.NONE);
    }

    private RunningAdapter(
            HikariDataSource database, BoundedWorkManager threads, Predicate<Throwable> refusal, Tracing tracing) {
        this.threads = threads;
        this.database = database;
        pool = Jta.pool(database);
        outage = new Outage(pool);
        running = new RunningNode(
                outage.source(),
                Jta.TRANSACTIONS,
                new Settings("test", 1 << 20, RunningNode.POLL, Duration.ofSeconds(30), Duration.ZERO),
                tracing);
        activations =
                new Activations(running.node(), new Starter(threads, this::newThread), Containers.refusing(refusal));
        tube = newTube();
    }

    Node node() {
        return running.node();
    }

    /** Ends or begins the database's availability. */
    void away(boolean now) {
        outage.begin(now);
    }

    /** Sets what each thread does that asks for a connection, before it gets one. */
    void beforeConnect(Runnable work) {
        outage.beforeConnect(work);
    }

    /** The pool whose connections take part in transactions. */
    AgroalDataSource pool() {
        return pool;
    }

    HikariDataSource database() {
        return database;
    }

    /** The database beside the adapter. */
    Sql sql() {
        return new Sql(database);
    }

    /** Changes the database without the adapter. */
    void execute(String sql) {
        try {
            sql().execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    void awaitState(AdapterState state) {
        running.awaitState(state);
    }

    Tube tube() {
        return tube;
    }

    Tube newTube() {
        return newTube(TubeDefinition.FIFOTTL);
    }

    Tube newTube(String type) {
        return running.newTube(new ClientConnection(), type);
    }

    Tube newTemporaryTube() {
        TubeDefinition definition = TubeDefinition.of(RunningNode.newName(), TubeDefinition.FIFOTTL);
        return running.node().createTube(new ClientConnection(), definition.asTemporary());
    }

    /** As the virtual machine does without a thread for the requests, while it is short of them. */
    private Thread newThread(Runnable work) {
        if (outOfThreads) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        requesting = new Thread(work, "requests");
        requesting.setDaemon(true);
        return requesting;
    }

    /** Waits until the thread of the requests has ended, as it does without requests. */
    void awaitRequestThreadEnd() throws InterruptedException {
        requesting.join();
    }

    void outOfThreads(boolean now) {
        outOfThreads = now;
    }

    BoundedWorkManager threads() {
        return threads;
    }

    Activations activations() {
        return activations;
    }

    /** A spec for the tube: quick retries, ten attempts. */
    TaskActivationSpec spec() {
        return forTube(new TaskActivationSpec());
    }

    private <S extends TaskActivationSpec> S forTube(S spec) {
        spec.setTube(tube.name());
        spec.setRetryDelay("0");
        return spec;
    }

    TaskActivationSpec activate(Bean bean) {
        return activate(bean, spec -> {});
    }

    TaskActivationSpec activate(Bean bean, Consumer<TaskActivationSpec> change) {
        return activate(bean, spec(), change);
    }

    /** Activates a bean that gets data as objects. */
    void activateTyped(Bean bean) {
        activate(bean, forTube(new TypedTaskActivationSpec()), spec -> {});
    }

    /** Activates a bean that gets batches. */
    TaskActivationSpec activateBatches(Bean bean, Consumer<TaskBatchActivationSpec> change) {
        return activate(bean, forTube(new TaskBatchActivationSpec()), change);
    }

    private <S extends TaskActivationSpec> S activate(Bean bean, S spec, Consumer<S> change) {
        change.accept(spec);
        try {
            activations.start(bean, spec);
        } catch (ResourceException e) {
            throw new AssertionError(e);
        }
        return spec;
    }

    /** Returns what deactivates a bean whose activation was refused. */
    Runnable refuse(Bean bean, String why) {
        TaskActivationSpec spec = spec();
        activations.refused(bean, spec, bean.getActivationName(), why);
        return () -> activations.stop(bean, spec);
    }

    void awaitRemoved(Task task) {
        Eventually.holds(() -> tube.peek(task.id()).isEmpty(), "task " + task.id() + " is removed");
    }

    void awaitBuried(Task task) {
        Eventually.holds(
                () -> tube.peek(task.id())
                        .filter(now -> now.state() == TaskState.BURIED)
                        .isPresent(),
                "task " + task.id() + " is buried");
    }

    @Override
    public void close() {
        activations.stopAll();
        running.close();
        threads.close();
        pool.close();
        database.close();
    }
}
