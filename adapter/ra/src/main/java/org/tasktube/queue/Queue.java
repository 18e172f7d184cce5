package org.tasktube.queue;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.StoreException;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeExistsException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.TubeStatistics;
import org.tasktube.spi.DeadlineTimer;
import org.tasktube.spi.TubeDriver;
import org.tasktube.spi.TubeOption;
import org.tasktube.store.OpenStore;
import org.tasktube.store.Registry;
import org.tasktube.store.Released;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.store.TaskStore;
import org.tasktube.store.TemporaryTaskStore;
import org.tasktube.store.Transactions;

/**
 * All tubes on this server. It is there from the adapter's start to its end, while the store behind it comes and goes:
 * {@link Upkeep} opens it, and whoever asks for it meanwhile is told to wait.
 */
public final class Queue {

    /** How a store is come by; throws while the database is away. What fails later is a reason to look after it. */
    @FunctionalInterface
    public interface StoreOpener {
        OpenStore open(Runnable onFailure) throws StoreUnavailableException;
    }

    private static final Duration LOOK_WHETHER_RUNNING = Duration.ofMillis(200);

    private final Settings settings;
    private final Transactions transactions;
    private final TemporaryTaskStore memory;
    private final Upkeep upkeep;
    private final Drivers drivers = new Drivers();
    private final Sessions sessions = new Sessions(this);
    private final Deadlines deadlines;
    private final Map<String, TubeQueue> byName = new ConcurrentHashMap<>();
    private final Object tubeChanges = new Object();

    private volatile AdapterState state = AdapterState.INIT;
    private volatile OpenStore store;
    private volatile int node;

    /**
     * @param memory where temporary tubes have their tasks
     * @param opener how the database is come by that has all else
     */
    public Queue(Settings settings, Transactions transactions, TemporaryTaskStore memory, StoreOpener opener) {
        this.settings = settings;
        this.transactions = transactions;
        this.memory = memory;
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
            byName.values().forEach(tube -> {
                tube.line().wakeAll();
                tube.places().wakeAll();
                tube.watches().wakeAll();
            });
        }
    }

    /** The store opened: this is what is in it, and this server's number in it. */
    void opened(OpenStore opened, int number) {
        node = number;
        store = opened;
    }

    void renumbered(int number) {
        node = number;
    }

    /** Where the tasks of a tube are, if the adapter is at work. */
    TaskStore store(StoredTube tube) {
        OpenStore open = store();
        return tube.definition().temporary() ? memory : open.tasks();
    }

    Registry registry() {
        return store().registry();
    }

    private OpenStore store() {
        AdapterState now = state;
        if (now != AdapterState.RUNNING) {
            throw new AdapterNotRunningException(
                    now,
                    now == AdapterState.ENDING || now == AdapterState.INIT
                            ? "it is not started, or stopping"
                            : "its database does not answer, or is read-only; it goes on by itself, try again later");
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

    Drivers drivers() {
        return drivers;
    }

    /** Adds a type of tubes; what is returned removes it. */
    public Runnable register(TubeDriver driver) {
        return drivers.register(driver);
    }

    /** Has the upkeep do something, soon. */
    void execute(Runnable work) {
        upkeep.execute(work);
    }

    /** Does something at once, but not in the caller's transaction. */
    <T> T outsideTransaction(Callable<T> work) {
        if (transactions.active()) {
            return elsewhere(work);
        }
        try {
            return work.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    // Sessions

    Sessions sessions() {
        return sessions;
    }

    /** Makes a client's session known to other servers, and says which it is. */
    public UUID identify(Client client) {
        return sessions.publish(client);
    }

    /** Has a client take for another session. */
    public void identify(Client client, String session) {
        sessions.join(client, session);
    }

    /** Ends a client; its session with it, unless others have the same. False if it was ended. */
    public boolean close(Client client) {
        boolean first = client.close();
        if (first) {
            sessions.leave(client.session());
        }
        return first;
    }

    /** Ends what sessions hold in the database that nobody took up in time. */
    void expireSessions() {
        released(TubeEvent.RELEASED_BY_SESSION, registry().expireSessions());
    }

    /** Tasks that others held are READY again. */
    void released(TubeEvent event, List<Released> released) {
        released.forEach(tasks -> byId(tasks.tube()).ifPresent(tube -> tube.released(event, tasks.ids())));
    }

    // Tubes

    public Tube tube(Client client, String name) {
        client.checkOpen();
        return new SessionTube(this, find(name).orElseThrow(() -> new TubeNotFoundException(name)), client);
    }

    public List<TubeDefinition> tubes() {
        return registry().tubes().stream().map(StoredTube::definition).toList();
    }

    public Tube createTube(Client client, TubeDefinition definition) {
        client.checkOpen();
        StoredTube created = create(definition)
                .orElseThrow(() -> new TubeExistsException("tube '" + definition.name()
                        + "' exists already; to use it as it stands, create it if it does not exist"));
        return new SessionTube(this, known(created), client);
    }

    public Tube createTubeIfNotExists(Client client, TubeDefinition definition) {
        client.checkOpen();
        drivers.of(definition.type()).check(definition);
        Optional<TubeQueue> standing = find(definition.name());
        TubeQueue tube = standing.isPresent() ? standing.get() : createOrFind(definition);
        if (!tube.definition().equals(definition)) {
            throw new TubeExistsException("tube '" + definition.name() + "' exists as " + tube.definition()
                    + ", not as " + definition + "; drop it first, or use it as it stands");
        }
        return new SessionTube(this, tube, client);
    }

    private TubeQueue createOrFind(TubeDefinition definition) {
        return create(definition)
                .map(this::known)
                .or(() -> find(definition.name()))
                .orElseThrow(() -> new TubeNotFoundException(definition.name()));
    }

    private Optional<StoredTube> create(TubeDefinition definition) {
        TubeType type = drivers.of(definition.type());
        type.check(definition);
        return registry().createTube(definition, type.has(TubeOption.UTUBE));
    }

    void dropTube(StoredTube tube) {
        registry().dropTube(tube);
        if (tube.definition().temporary()) {
            memory.drop(tube);
        }
    }

    /** The tube of that name, empty while there is none. Asks the database only for tubes not seen before. */
    public Optional<TubeQueue> find(String name) {
        TubeQueue known = byName.get(TubeDefinition.checkName(name));
        return known != null ? Optional.of(known) : registry().tube(name).map(this::known);
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
        if (byName.get(tube.name()) != tube && registry().tube(tube.name()).isEmpty()) {
            throw new TubeNotFoundException(tube.name());
        }
    }

    List<TubeQueue> known() {
        return List.copyOf(byName.values());
    }

    private Optional<TubeQueue> byId(int id) {
        return byName.values().stream().filter(tube -> tube.stored().id() == id).findFirst();
    }

    /** What keeps a tube from taking more, in words. */
    String bounds(TubeQueue tube) {
        String capacity = tube.definition().capacity().isPresent()
                ? "it has room for " + tube.definition().capacity().getAsInt() + " tasks"
                : "";
        String memoryBounds = tube.definition().temporary()
                ? "the temporary tubes of this server have room for temporaryMaxTasks tasks of temporaryMaxBytes bytes"
                : "";
        return capacity.isEmpty() || memoryBounds.isEmpty()
                ? capacity + memoryBounds
                : capacity + ", and " + memoryBounds;
    }

    /** Places in a tube are free; temporary ones share theirs. */
    void placesFreed(TubeQueue tube, long count) {
        tube.places().wake(count);
        if (tube.definition().temporary()) {
            byName.values().stream()
                    .filter(other -> other.definition().temporary())
                    .forEach(other -> other.places().wakeOneForMore());
        }
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
        Duration next = min(sessions.expire(), min(sweep(store().tasks()), sweep(memory)));
        deadlines.due(next);
        return next;
    }

    private Duration sweep(TaskStore tasks) {
        Set<Integer> told = byName.values().stream()
                .filter(TubeQueue::isListenedTo)
                .map(tube -> tube.stored().id())
                .collect(Collectors.toSet());
        Sweep sweep;
        do {
            sweep = tasks.sweep(told);
            for (Sweep.Swept swept : sweep.swept()) {
                byId(swept.tube()).ifPresent(tube -> tube.swept(swept));
            }
        } while (sweep.untilNext().filter(Duration::isZero).isPresent());
        return min(sweep.untilNext().orElse(Deadlines.LONGEST_SLEEP), Deadlines.LONGEST_SLEEP);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
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
            while (true) {
                // Whoever comes as the adapter ceases to work is not answered any more
                store();
                try {
                    return result.get(LOOK_WHETHER_RUNNING.toMillis(), TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    Log.LOG.upkeepIsBusy(LOOK_WHETHER_RUNNING);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdapterNotRunningException(state, "the thread that waited was interrupted");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new StoreException("TaskTube's upkeep failed: " + e.getCause().getMessage(), e.getCause());
        }
    }

    /** Looks what became of the tasks that are watched here; what this server did itself was told already. */
    void lookAtWatched() {
        List<TubeQueue> watched = known().stream()
                .filter(tube -> !tube.watches().tasks().isEmpty())
                .toList();
        for (TubeQueue tube : watched) {
            Map<Watches.Watch, Long> told = tube.watches().told();
            Watches.found(
                    told, store(tube.stored()).states(List.copyOf(tube.watches().tasks())));
        }
    }

    /** Reads all tubes and counts all tasks anew; who waits at a tube that is no more is told. */
    void recount() {
        List<TubeQueue> before = known();
        Map<String, StoredTube> now = new HashMap<>();
        store.registry().tubes().forEach(tube -> now.put(tube.name(), tube));
        before.stream().filter(tube -> !isSame(tube, now.get(tube.name()))).forEach(tube -> {
            forget(tube);
            tube.line().wakeAll();
            tube.places().wakeAll();
        });
        now.values().forEach(tube -> byName.computeIfAbsent(tube.name(), name -> new TubeQueue(this, tube)));
        count();
        tubesChanged();
    }

    private void count() {
        Map<Integer, Map<TaskState, Long>> counts = new HashMap<>();
        Stream.concat(store.tasks().counts().stream(), memory.counts().stream())
                .forEach(count -> counts.computeIfAbsent(count.tube(), id -> new HashMap<>())
                        .put(count.state(), count.tasks()));
        for (TubeQueue tube : byName.values()) {
            Map<TaskState, Long> ofTube = counts.getOrDefault(tube.stored().id(), Map.of());
            for (TaskState taskState : TaskState.values()) {
                tube.counters().set(taskState, ofTube.getOrDefault(taskState, 0L));
            }
        }
    }
}
