package org.tasktube.node;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.AdapterState;
import org.tasktube.Schedule;
import org.tasktube.TaskChangeListener;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeExistsException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.TubeStatistics;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.session.ClientConnection;
import org.tasktube.spi.DeadlineTimer;
import org.tasktube.spi.TubeDriver;
import org.tasktube.spi.TubeOption;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;
import org.tasktube.store.sql.Registry;
import org.tasktube.tracing.Tracing;
import org.tasktube.tube.Deadlines;
import org.tasktube.tube.Drivers;
import org.tasktube.tube.Followers;
import org.tasktube.tube.ListeningBeans;
import org.tasktube.tube.TubeContext;
import org.tasktube.tube.TubeEngine;
import org.tasktube.tube.TubeHandle;
import org.tasktube.tube.TubeType;

/**
 * TaskTube on this server: all its tubes and sessions, from the adapter's start to its end, while the store may fail
 * and return. It connects the parts, and serves the roles of JCA.
 */
public final class Node {

    /** The longest wait of a requested sweep for its listeners. A listener that needs longer is blocked. */
    private static final Duration LISTENERS_PATIENCE = Duration.ofSeconds(5);

    private final BackgroundThread background = new BackgroundThread();
    private final DeliveryLines deliveryLines;
    private final ListenerThreads listenerThreads = new ListenerThreads();
    private final ListeningBeans listeningBeans = new ListeningBeans();
    private final Drivers drivers = new Drivers();
    private final NodeParts parts;
    private final StoreConnector connector;
    private final Maintenance maintenance;
    private final TubeContext context;
    private final Runnable leaveTransactions;
    private final NodeAdmin admin;

    /**
     * Creates a node.
     *
     * @param opener opens the store
     * @param tracing the spans of puts and deliveries
     * @param admins creates the administration
     */
    public Node(
            Settings settings,
            Transactions transactions,
            StoreOpener opener,
            Tracing tracing,
            NodeAdmin.Factory admins) {
        Deadlines deadlines = new Deadlines(background, this::sweepSoon, System::nanoTime);
        parts = NodeParts.of(settings, transactions, deadlines, background, listenerThreads, this::engine);
        deliveryLines = new DeliveryLines(
                settings.deliveryLogLines(), new DeliveryLogWriter(parts.access(), background, settings.nodeName()));
        connector = new StoreConnector(parts, opener);
        maintenance = new Maintenance(parts, connector);
        leaveTransactions = transactions.afterFailedCommit(connector::answerLost);
        Followers followers = new Followers(transactions, parts, parts.directory(), deadlines, background);
        HolderTalk talk =
                new HolderTalk(parts.access(), parts.queue(), background, transactions, deadlines, settings.nodeName());
        context = new TubeContext(
                transactions,
                deadlines,
                drivers,
                listeningBeans,
                settings.maxDataSize(),
                parts,
                parts.directory(),
                parts.claims(),
                parts.sessions(),
                followers,
                talk,
                tracing);
        admin = admins.of(parts, background);
        maintenance.eachMinute("look for operations", admin::runOperations);
        maintenance.eachMinute("look for tasks that wait for no other", followers::lookAtAll);
        maintenance.eachMinute("remove cancelled tasks", () -> background.execute(talk::lookAtAll));
        parts.deadServers().onLeave(admin::runOperations);
        parts.access().onHalt(this::wakeAll);
    }

    private void wakeAll() {
        parts.directory().known().forEach(tube -> tube.runtime().wakeAll());
    }

    private TubeEngine engine(StoredTube tube) {
        return new TubeEngine(tube, context);
    }

    /** Returns the order of tasks that wait for others. */
    TubeContext.Ordering ordering() {
        return context.ordering();
    }

    // Life

    /** Returns the loops that keep the node going. Run each on a thread of its own; they end after {@link #stop()}. */
    public List<Runnable> threads() {
        return List.of(maintenance, connector.heartbeat(), background, maintenance.noticeListener());
    }

    /** Sets the timer for the time without a better one. */
    public void fallBackTo(DeadlineTimer own) {
        parts.deadlines().fallBackTo(own);
    }

    /** Sets the timer to use from now on; null for the fallback. */
    public void use(DeadlineTimer timer) {
        parts.deadlines().use(timer);
    }

    /** Ends the maintenance and all waits. Returns when that is done. */
    public void stop() {
        leaveTransactions.run();
        maintenance.end();
        background.end();
        listenerThreads.end();
    }

    public AdapterState state() {
        return parts.access().state();
    }

    /** Waits until the adapter is RUNNING. Returns false after the timeout. */
    public boolean awaitRunning(ClientConnection client, Duration timeout) {
        TubeHandle.checkTimeout(timeout);
        return parts.access().awaitRunning(client, timeout);
    }

    /** Returns what keeps the log lines of deliveries. */
    public DeliveryLines deliveryLines() {
        return deliveryLines;
    }

    /** Returns the spans of puts and deliveries. */
    public Tracing tracing() {
        return context.tracing();
    }

    /** Returns this server's number in the database. */
    public int number() {
        return parts.access().number();
    }

    /** Adds a type of tubes. The returned action removes it. */
    public Runnable register(TubeDriver driver) {
        return drivers.register(driver);
    }

    // Sessions

    /** Registers a connection's session for other servers. Returns the session's id. */
    public UUID identify(ClientConnection client) {
        return parts.sessions().publish(client);
    }

    /** Registers a connection's session, and sets how long it stays without a connection. Returns its id. */
    public UUID identify(ClientConnection client, Duration keep) {
        return parts.sessions().publish(client, keep);
    }

    /** Registers a connection's session with its time without a connection and its owner. Returns its id. */
    public UUID identify(ClientConnection client, Duration keep, String owner) {
        return parts.sessions().publish(client, keep, owner);
    }

    /** Makes a connection join another session. */
    public void identify(ClientConnection client, String session) {
        parts.sessions().join(client, session);
    }

    /**
     * Makes a connection join another session that has this owner. Returns how long that session stays without a
     * connection.
     */
    public Duration identify(ClientConnection client, UUID session, String owner) {
        return parts.sessions().join(client, session, owner);
    }

    /**
     * Closes a connection and leaves its session, which ends with its last connection. Returns false if it was closed
     * before.
     */
    public boolean close(ClientConnection client) {
        boolean first = client.close();
        if (first) {
            parts.sessions().leave(client.session());
        }
        return first;
    }

    // Tubes

    public Tube tube(ClientConnection client, String name) {
        return findTube(client, name).orElseThrow(() -> new TubeNotFoundException(name));
    }

    public Optional<Tube> findTube(ClientConnection client, String name) {
        client.checkOpen();
        return find(name).map(tube -> handle(tube, client));
    }

    /** See {@link org.tasktube.TubeConnection#schedule}. */
    public boolean schedule(ClientConnection client, Schedule schedule) {
        client.checkOpen();
        return parts.schedules().put(schedule);
    }

    /** See {@link org.tasktube.TubeConnection#unschedule}. */
    public boolean unschedule(ClientConnection client, String name) {
        client.checkOpen();
        return parts.schedules().remove(name);
    }

    private Tube handle(TubeEngine tube, ClientConnection client) {
        return new TubeHandle(tube, context, client);
    }

    public List<TubeDefinition> tubes() {
        return registry().tubes().stream().map(StoredTube::definition).toList();
    }

    public Tube createTube(ClientConnection client, TubeDefinition definition) {
        client.checkOpen();
        TubeEngine created = create(definition)
                .orElseThrow(() -> new TubeExistsException("tube '" + definition.name()
                        + "' exists already; to use it as it stands, create it if it does not exist"));
        return handle(created, client);
    }

    public Tube createTubeIfNotExists(ClientConnection client, TubeDefinition definition) {
        client.checkOpen();
        drivers.of(definition.type()).check(definition);
        Optional<TubeEngine> standing = find(definition.name());
        TubeEngine tube = standing.isPresent() ? standing.get() : createOrFind(definition);
        if (!tube.stored().fits(definition)) {
            throw new TubeExistsException("tube '" + definition.name() + "' exists with another definition: "
                    + differences(tube.definition(), definition)
                    + "; use it as it stands, or change its defaults by changeTube. For another type, capacity or"
                    + " temporary, drop it first");
        }
        return handle(tube, client);
    }

    private static String differences(TubeDefinition standing, TubeDefinition wanted) {
        return Stream.of(TubeDefinition.class.getRecordComponents())
                .filter(part -> !value(part, standing).equals(value(part, wanted)))
                .map(part -> part.getName() + " is " + value(part, standing) + ", not " + value(part, wanted))
                .collect(Collectors.joining("; "));
    }

    private static String value(RecordComponent part, TubeDefinition of) {
        try {
            return String.valueOf(part.getAccessor().invoke(of)).replaceAll("Optional(Int)?(\\.empty|\\[(.*)])", "$3");
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private TubeEngine createOrFind(TubeDefinition definition) {
        return create(definition)
                .or(() -> find(definition.name()))
                .orElseThrow(() -> new TubeNotFoundException(definition.name()));
    }

    private Optional<TubeEngine> create(TubeDefinition definition) {
        TubeType type = drivers.of(definition.type());
        type.check(definition);
        return parts.directory().create(definition, type.has(TubeOption.UTUBE));
    }

    /**
     * Returns the tube of that name; empty if it does not exist. Queries the database only for tubes not seen before.
     */
    public Optional<TubeEngine> find(String name) {
        return parts.directory().find(name);
    }

    /** Waits for a tube of that name. Returns empty after the timeout, or when it is no longer wanted. */
    public Optional<TubeEngine> await(String name, Duration timeout, BooleanSupplier wanted)
            throws InterruptedException {
        return parts.directory().await(name, timeout, wanted);
    }

    /** Wakes the threads that wait for a tube. Each checks again for the tube, and for its own need. */
    public void tubesChanged() {
        parts.directory().changed();
    }

    /**
     * Notifies a bean of the changes in the tube of that name, until the returned action runs. The tube need not exist
     * yet.
     */
    public Runnable listen(String tube, TaskChangeListener bean) {
        return listeningBeans.add(tube, bean);
    }

    /** Shows an active bean to the administration, until the returned action runs. */
    public Runnable show(ActiveBean bean) {
        return admin.add(bean);
    }

    /** Returns whether this server knows a tube of that name. Uses no database. */
    public boolean knows(String tube) {
        return parts.directory().known().stream().anyMatch(known -> known.name().equals(tube));
    }

    /** Returns the administration of all tubes, for a connection while it is open. */
    public TaskAdmin admin(ClientConnection client) {
        client.checkOpen();
        return admin.calls();
    }

    public List<TubeStatistics> statistics() {
        return parts.directory().known().stream().map(TubeEngine::statistics).toList();
    }

    /** Returns the number of active beans of each tube that has some. */
    public Map<String, Long> beansByTube() {
        return admin.beansByTube();
    }

    /** Returns the number of beans and takes that wait here for a task of a tube. Uses no database. */
    public int waiting(String tube) {
        return parts.directory()
                .findKnown(tube)
                .map(known -> known.takers().length())
                .orElse(0);
    }

    /** Returns the oldest READY task of each tube that has one. */
    public List<OldestReady> oldestReady() {
        return admin.calls().oldestReady();
    }

    // Deadlines

    /** See {@link org.tasktube.TubeConnection#sweep}. */
    public Duration sweep() {
        parts.access().store();
        parts.schedules().look();
        long end = System.nanoTime() + Deadlines.LONGEST_SLEEP.toNanos();
        Duration next;
        do {
            next = parts.calls().call(parts.sweeper()::sweep);
        } while (next.isZero() && System.nanoTime() - end < 0);
        try {
            listenerThreads.awaitDone(LISTENERS_PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return next;
    }

    /** Makes the maintenance thread sweep. Timers call this method, and their threads must not wait. */
    private void sweepSoon() {
        parts.queue().execute(parts.sweeper()::sweep);
    }

    // Parts

    Registry registry() {
        return parts.access().registry();
    }

    Recount recount() {
        return parts.recount();
    }

    NodeParts parts() {
        return parts;
    }

    StoreConnector connector() {
        return connector;
    }
}
