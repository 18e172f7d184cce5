package org.tasktube.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.StoreException;
import org.tasktube.TaskState;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeExistsException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.TubeStatistics;
import org.tasktube.spi.DeadlineTimer;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.store.TaskStore;
import org.tasktube.store.TubeCount;

/**
 * All tubes on this server. It is there from the adapter's start to its end, while the store behind it comes and goes:
 * {@link Upkeep} opens it, and whoever asks for it meanwhile is told to wait.
 */
public final class Queue {

    /** How a store is come by; throws while the database is away. */
    @FunctionalInterface
    public interface StoreOpener {
        TaskStore open() throws StoreUnavailableException;
    }

    private final Settings settings;
    private final Transactions transactions;
    private final Upkeep upkeep;
    private final Deadlines deadlines;
    private final Map<String, TubeQueue> byName = new ConcurrentHashMap<>();
    private final Object tubeChanges = new Object();

    private volatile AdapterState state = AdapterState.INIT;
    private volatile TaskStore store;
    private volatile int node;

    public Queue(Settings settings, Transactions transactions, StoreOpener opener) {
        this.settings = settings;
        this.transactions = transactions;
        this.upkeep = new Upkeep(this, opener);
        this.deadlines = new Deadlines(upkeep, System::nanoTime);
    }

    // Life

    /** What keeps the queue going; to be run on a thread of its own until {@link #stop()}. */
    public Runnable upkeep() {
        return upkeep;
    }

    /** The timer to use while there is no better one. */
    public void fallBackTo(DeadlineTimer own) {
        deadlines.fallBackTo(own);
    }

    /** The timer to use from now on; null for the fallback. */
    public void use(DeadlineTimer timer) {
        deadlines.use(timer);
    }

    /** Ends the upkeep and everybody's waiting; returns when that is done. */
    public void stop() {
        upkeep.end();
    }

    public AdapterState state() {
        return state;
    }

    void enter(AdapterState next) {
        state = next;
        if (next == AdapterState.WAITING || next == AdapterState.ENDING) {
            byName.values().forEach(tube -> tube.line().wakeAll());
        }
    }

    /** The store opened: this is what is in it, and this server's number in it. */
    void opened(TaskStore opened, int number) {
        node = number;
        store = opened;
    }

    void renumbered(int number) {
        node = number;
    }

    /** The store, if the adapter is at work. */
    TaskStore store() {
        AdapterState now = state;
        if (now != AdapterState.RUNNING) {
            throw new AdapterNotRunningException(
                    now,
                    now == AdapterState.ENDING || now == AdapterState.INIT
                            ? "it is not started, or stopping"
                            : "its database does not answer; it goes on by itself, try again later");
        }
        return store;
    }

    int node() {
        return node;
    }

    Settings settings() {
        return settings;
    }

    Transactions transactions() {
        return transactions;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    // Sessions

    /** Ends a session: what it holds is released, in a transaction only when that has ended. False if it was ended. */
    public boolean close(Session session) {
        boolean first = session.close();
        if (first && transactions.active()) {
            // The thread that ends a transaction must not use its datasource then
            transactions.atEnd(() -> upkeep.execute(() -> releaseHeld(session)));
        } else if (first) {
            releaseHeld(session);
        }
        return first;
    }

    /** If the store fails meanwhile, it is done when the store is back: nobody else knows what to release. */
    private void releaseHeld(Session session) {
        if (session.held().isEmpty()) {
            return;
        }
        Map<TubeQueue, List<Long>> byTube = new HashMap<>();
        session.held().forEach((id, tube) -> byTube.computeIfAbsent(tube, t -> new ArrayList<>())
                .add(id));
        try {
            byTube.forEach((tube, ids) -> tube.releaseSession(session, ids));
            session.held().clear();
        } catch (TaskTubeException e) {
            upkeep.execute(() -> releaseHeld(session));
        }
    }

    // Tubes

    public Tube tube(Session session, String name) {
        session.checkOpen();
        return new SessionTube(this, find(name).orElseThrow(() -> new TubeNotFoundException(name)), session);
    }

    public List<TubeDefinition> tubes() {
        return store().tubes().stream().map(StoredTube::definition).toList();
    }

    public Tube createTube(Session session, TubeDefinition definition) {
        session.checkOpen();
        TubeType.of(definition.type()).check(definition);
        StoredTube created = store().createTube(definition)
                .orElseThrow(() -> new TubeExistsException("tube '" + definition.name()
                        + "' exists already; to use it as it stands, create it if it does not exist"));
        return new SessionTube(this, known(created), session);
    }

    public Tube createTubeIfNotExists(Session session, TubeDefinition definition) {
        session.checkOpen();
        TubeType.of(definition.type()).check(definition);
        Optional<TubeQueue> standing = find(definition.name());
        TubeQueue tube = standing.isPresent() ? standing.get() : createOrFind(definition);
        if (!tube.definition().equals(definition)) {
            throw new TubeExistsException("tube '" + definition.name() + "' exists as " + tube.definition()
                    + ", not as " + definition + "; drop it first, or use it as it stands");
        }
        return new SessionTube(this, tube, session);
    }

    private TubeQueue createOrFind(TubeDefinition definition) {
        return store().createTube(definition)
                .map(this::known)
                .or(() -> find(definition.name()))
                .orElseThrow(() -> new TubeNotFoundException(definition.name()));
    }

    /** The tube of that name, empty while there is none. Asks the database only for tubes not seen before. */
    public Optional<TubeQueue> find(String name) {
        TubeQueue known = byName.get(TubeDefinition.checkName(name));
        return known != null ? Optional.of(known) : store().tube(name).map(this::known);
    }

    /** What was created in this transaction may be undone by its end, and becomes known to others after that only. */
    private TubeQueue known(StoredTube stored) {
        TubeQueue tube = new TubeQueue(this, stored);
        if (!transactions.active()) {
            return publish(tube);
        }
        transactions.afterCommit(() -> publish(tube));
        return tube;
    }

    private TubeQueue publish(TubeQueue tube) {
        TubeQueue published = byName.compute(tube.name(), (name, old) -> isSame(old, tube.stored()) ? old : tube);
        tubesChanged();
        return published;
    }

    /** Waits for a tube of that name; empty if it was not there within that time, or nobody wants it any more. */
    public Optional<TubeQueue> await(String name, Duration timeout, BooleanSupplier wanted)
            throws InterruptedException {
        Optional<TubeQueue> tube = find(name);
        long end = System.nanoTime() + timeout.toNanos();
        synchronized (tubeChanges) {
            long left = timeout.toNanos();
            while (tube.isEmpty() && left > 0 && wanted.getAsBoolean()) {
                TimeUnit.NANOSECONDS.timedWait(tubeChanges, left);
                tube = Optional.ofNullable(byName.get(name));
                left = end - System.nanoTime();
            }
        }
        return tube;
    }

    /** Those who wait for a tube look again whether it is there, and whether they still want it. */
    public void tubesChanged() {
        synchronized (tubeChanges) {
            tubeChanges.notifyAll();
        }
    }

    private static boolean isSame(TubeQueue old, StoredTube stored) {
        return old != null && old.stored().id() == stored.id();
    }

    void forget(TubeQueue tube) {
        byName.remove(tube.name(), tube);
    }

    /** Fails for a tube that was dropped while somebody waited. */
    public void checkThere(TubeQueue tube) {
        if (byName.get(tube.name()) != tube && store().tube(tube.name()).isEmpty()) {
            throw new TubeNotFoundException(tube.name());
        }
    }

    List<TubeQueue> known() {
        return List.copyOf(byName.values());
    }

    private Optional<TubeQueue> byId(int id) {
        return byName.values().stream().filter(tube -> tube.stored().id() == id).findFirst();
    }

    public List<TubeStatistics> statistics() {
        return byName.values().stream().map(TubeQueue::statistics).toList();
    }

    // Deadlines

    /** Does all that is due and has the timer armed for what comes next, never in the caller's transaction. */
    public Duration sweep() {
        store();
        return transactions.active() ? elsewhere(this::sweepHere) : sweepHere();
    }

    /** Has the upkeep sweep; for timers whose own thread must not use a database. */
    public void sweepSoon() {
        upkeep.execute(this::sweepHere);
    }

    private Duration sweepHere() {
        deadlines.swept();
        Sweep sweep;
        do {
            sweep = store().sweep();
            for (Sweep.Swept swept : sweep.swept()) {
                byId(swept.tube()).ifPresent(tube -> tube.swept(swept.from(), swept.tasks()));
            }
        } while (sweep.untilNext().filter(Duration::isZero).isPresent());
        Duration next = sweep.untilNext()
                .filter(until -> until.compareTo(Deadlines.LONGEST_SLEEP) < 0)
                .orElse(Deadlines.LONGEST_SLEEP);
        deadlines.due(next);
        return next;
    }

    private <T> T elsewhere(Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        upkeep.execute(() -> {
            try {
                result.complete(work.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        try {
            return result.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdapterNotRunningException(state, "the thread that waited was interrupted");
        } catch (ExecutionException e) {
            throw new StoreException("the sweep failed: " + e.getCause().getMessage(), e.getCause());
        }
    }

    /** Tasks that dead servers held are READY again. */
    void releasedDead(List<TubeCount> released) {
        released.forEach(count ->
                byId(count.tube()).ifPresent(tube -> tube.released(TubeEvent.RELEASED_AT_START, count.tasks())));
    }

    /** Reads all tubes and counts all tasks anew; who waits at a tube that is no more is told. */
    void recount() {
        List<TubeQueue> before = known();
        Map<String, StoredTube> now = new HashMap<>();
        store.tubes().forEach(tube -> now.put(tube.name(), tube));
        before.stream().filter(tube -> !isSame(tube, now.get(tube.name()))).forEach(tube -> {
            forget(tube);
            tube.line().wakeAll();
        });
        now.values().forEach(tube -> byName.computeIfAbsent(tube.name(), name -> new TubeQueue(this, tube)));
        count();
        tubesChanged();
    }

    private void count() {
        Map<Integer, Map<TaskState, Long>> counts = new HashMap<>();
        store.counts().forEach(count -> counts.computeIfAbsent(count.tube(), id -> new HashMap<>())
                .put(count.state(), count.tasks()));
        for (TubeQueue tube : byName.values()) {
            Map<TaskState, Long> ofTube = counts.getOrDefault(tube.stored().id(), Map.of());
            for (TaskState taskState : TaskState.values()) {
                tube.counters().set(taskState, ofTube.getOrDefault(taskState, 0L));
            }
        }
    }
}
