package org.tasktube.node;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeExistsException;
import org.tasktube.TubeMode;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.TubeChange;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.Registry;
import org.tasktube.tube.TubeContext;
import org.tasktube.tube.TubeEngine;

/**
 * The tubes that this server knows, one engine per tube. A created tube is there for all at once. If a transaction
 * drops a tube, only that transaction misses it until the commit.
 */
public final class TubeDirectory implements TubeContext.Directory {

    private final StoreAccess access;
    private final MaintenanceCalls calls;
    private final Transactions transactions;
    private final ListenerThreads listenerThreads;
    private final Function<StoredTube, TubeEngine> engines;
    private final Map<String, TubeEngine> byName = new ConcurrentHashMap<>();
    private final Object changes = new Object();
    private final AtomicLong reads = new AtomicLong();
    private final Object applying = new Object();

    /** Whether a tube has been learned otherwise since the last read began. */
    private volatile boolean hasLearned;

    /** The number of the last read whose result was applied. */
    private long applied;

    /** The transactions that have dropped tubes, by the tubes' ids. */
    private final Map<Integer, Object> dropped = new ConcurrentHashMap<>();

    /**
     * Creates a directory.
     *
     * @param engines creates the engine of a tube that was not known
     */
    TubeDirectory(
            StoreAccess access,
            MaintenanceCalls calls,
            Transactions transactions,
            ListenerThreads listenerThreads,
            Function<StoredTube, TubeEngine> engines) {
        this.access = access;
        this.calls = calls;
        this.transactions = transactions;
        this.listenerThreads = listenerThreads;
        this.engines = engines;
    }

    public List<TubeEngine> known() {
        return List.copyOf(byName.values());
    }

    /** Returns whether this server knows a temporary tube: without one, the second table of tasks is not read. */
    boolean hasTemporary() {
        return byName.values().stream().anyMatch(tube -> tube.definition().temporary());
    }

    @Override
    public Optional<TubeEngine> byId(int id) {
        return byName.values().stream().filter(tube -> tube.stored().id() == id).findFirst();
    }

    @Override
    public Optional<TubeEngine> find(String name) {
        TubeDefinition.checkName(name);
        return findKnown(name).or(() -> access.registry().tube(name).map(this::published));
    }

    /** Returns the tube of that name if this server has seen it. Queries no database. */
    public Optional<TubeEngine> findKnown(String name) {
        return Optional.ofNullable(byName.get(name)).filter(tube -> !isDroppedHere(tube));
    }

    /** Returns the engine of a tube that the caller has read. */
    public TubeEngine of(StoredTube stored) {
        return findKnown(stored.name()).filter(tube -> isSame(tube, stored)).orElseGet(() -> published(stored));
    }

    /**
     * Returns whether the caller's transaction has dropped the tube. Other transactions still see the tube until the
     * commit.
     */
    private boolean isDroppedHere(TubeEngine tube) {
        return !dropped.isEmpty()
                && transactions.active()
                && transactions.key().equals(dropped.get(tube.stored().id()));
    }

    /** Returns the engine of a tube that is in the database. */
    private TubeEngine published(StoredTube stored) {
        TubeEngine tube = engines.apply(stored);
        TubeEngine known = byName.compute(tube.name(), (name, old) -> isSameOrLater(old, stored) ? old : tube);
        hasLearned = true;
        changed();
        return isSame(known, stored) ? known : tube;
    }

    /**
     * Returns whether the known tube is the one that was read, or a later one of its name. While a caller read the
     * former tube, others can have dropped it and created the later one, at which consumers may wait already.
     */
    private static boolean isSameOrLater(TubeEngine old, StoredTube read) {
        return old != null && old.stored().id() >= read.id();
    }

    /**
     * Creates a tube in a transaction of its own, so that no first producer waits for the transaction of another one.
     *
     * @return empty if a tube of that name exists
     * @throws TubeExistsException if the caller's transaction is dropping it
     */
    public Optional<TubeEngine> create(TubeDefinition definition, boolean subQueues) {
        transactions.check();
        String name = definition.name();
        if (Optional.ofNullable(byName.get(name)).filter(this::isDroppedHere).isPresent()) {
            throw new TubeExistsException("this transaction drops tube '" + name
                    + "', and a tube is created in a transaction of its own; create it after the commit");
        }
        return calls.outsideTransaction(() -> access.registry().createTube(definition, subQueues))
                .map(this::published);
    }

    private static boolean isSame(TubeEngine old, StoredTube stored) {
        return old != null && stored != null && old.stored().id() == stored.id();
    }

    /** Waits for a tube of that name. Returns empty after the timeout, or when it is no longer wanted. */
    Optional<TubeEngine> await(String name, Duration timeout, BooleanSupplier wanted) throws InterruptedException {
        Optional<TubeEngine> tube = find(name);
        long end = System.nanoTime() + timeout.toNanos();
        synchronized (changes) {
            long left = timeout.toNanos();
            while (tube.isEmpty() && left > 0 && wanted.getAsBoolean()) {
                TimeUnit.NANOSECONDS.timedWait(changes, left);
                tube = Optional.ofNullable(byName.get(name));
                left = end - System.nanoTime();
            }
        }
        return tube;
    }

    /** Wakes the threads that wait for a tube. Each checks again for the tube, and for its own need. */
    void changed() {
        synchronized (changes) {
            changes.notifyAll();
        }
    }

    /**
     * Reads all tubes and their modes again. Threads that wait at a dropped tube wake, and fail. If a read that began
     * later was quicker, its result stands: this one may still have a tube that was dropped in between.
     */
    void read(OpenStore from) {
        hasLearned = false;
        boolean done = false;
        try {
            readNow(from);
            done = true;
        } finally {
            hasLearned |= !done;
        }
    }

    private void readNow(OpenStore from) {
        long number = reads.incrementAndGet();
        // Read before the registry: a tube that is known now, but not in the registry then, was dropped
        List<TubeEngine> before = known();
        Map<String, StoredTube> now = new HashMap<>();
        from.registry().tubes().forEach(tube -> now.put(tube.name(), tube));
        synchronized (applying) {
            if (applied < number) {
                applied = number;
                apply(before, now);
            }
        }
    }

    /**
     * Returns whether a tube has been learned since the last read began. Such a tube may be dropped before the next one,
     * and then the tubes are as they were at the last read.
     */
    boolean hasLearned() {
        return hasLearned;
    }

    private void apply(List<TubeEngine> before, Map<String, StoredTube> now) {
        for (TubeEngine tube : before) {
            if (!isSame(tube, now.get(tube.name()))) {
                tube.forget();
            }
        }
        now.values().forEach(this::learn);
        changed();
    }

    private void learn(StoredTube tube) {
        TubeEngine known = byName.computeIfAbsent(tube.name(), name -> engines.apply(tube));
        if (isSame(known, tube)) {
            known.runtime().learn(tube.mode());
            known.runtime().known().learn(tube);
        }
    }

    // Callbacks of tubes

    @Override
    public void checkThere(StoredTube tube) {
        if (!isSame(byName.get(tube.name()), tube)
                && access.registry()
                        .tube(tube.name())
                        .filter(stored -> stored.id() == tube.id())
                        .isEmpty()) {
            throw new TubeNotFoundException(tube.name());
        }
    }

    @Override
    public void drop(StoredTube tube, boolean force) {
        if (force) {
            access.registry().dropTube(tube);
        } else {
            access.registry().dropIdleTube(tube);
        }
        if (transactions.active()) {
            dropped.put(tube.id(), transactions.key());
            transactions.atEnd(() -> dropped.remove(tube.id()));
        }
    }

    @Override
    public Optional<ModeSetting> setMode(StoredTube tube, TubeMode mode, String by, String reason) {
        Registry registry = access.registry();
        Optional<ModeSetting> set = registry.setMode(tube, mode, by, reason);
        if (set.isEmpty() && registry.mode(tube).isEmpty()) {
            throw new TubeNotFoundException(tube.name());
        }
        return set;
    }

    @Override
    public StoredTube change(StoredTube tube, TubeChange change) {
        return access.registry().change(tube, change).orElseThrow(() -> new TubeNotFoundException(tube.name()));
    }

    @Override
    public void forget(StoredTube tube) {
        byName.computeIfPresent(tube.name(), (name, known) -> isSame(known, tube) ? null : known);
        listenerThreads.forget(tube);
    }
}
