package org.tasktube.node;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeNotFoundException;
import org.tasktube.store.OpenStore;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TemporaryTaskStore;
import org.tasktube.store.Transactions;
import org.tasktube.tube.TubeContext;
import org.tasktube.tube.TubeEngine;

/**
 * The tubes that this server knows, one engine per tube. A tube that a transaction creates or drops is there, or gone, for
 * that transaction alone until it commits.
 */
final class TubeDirectory implements TubeContext.Directory {

    private final StoreAccess access;
    private final Transactions transactions;
    private final TemporaryTaskStore memory;
    private final ListenerThreads listenerThreads;
    private final Function<StoredTube, TubeEngine> engines;
    private final Map<String, TubeEngine> byName = new ConcurrentHashMap<>();
    private final Object changes = new Object();

    /** Tubes of open transactions, by their ids in the database. */
    private final Map<Integer, Created> uncommitted = new ConcurrentHashMap<>();

    private record Created(Object transaction, TubeEngine tube) {}

    /** The transactions that have dropped tubes, by the tubes' ids. */
    private final Map<Integer, Object> dropped = new ConcurrentHashMap<>();

    /** @param engines makes the engine of a tube that was not known */
    TubeDirectory(
            StoreAccess access,
            Transactions transactions,
            TemporaryTaskStore memory,
            ListenerThreads listenerThreads,
            Function<StoredTube, TubeEngine> engines) {
        this.access = access;
        this.transactions = transactions;
        this.memory = memory;
        this.listenerThreads = listenerThreads;
        this.engines = engines;
    }

    List<TubeEngine> known() {
        return List.copyOf(byName.values());
    }

    Optional<TubeEngine> byId(int id) {
        return byName.values().stream().filter(tube -> tube.stored().id() == id).findFirst();
    }

    /** Returns the tube of that name; asks the database only for tubes not seen before. */
    Optional<TubeEngine> find(String name) {
        TubeDefinition.checkName(name);
        return createdHere(name)
                .or(() -> Optional.ofNullable(byName.get(name)).filter(tube -> !isDroppedHere(tube)))
                .or(() -> access.registry().tube(name).map(this::committed));
    }

    /** Returns a tube that the caller's transaction has created. */
    private Optional<TubeEngine> createdHere(String name) {
        if (uncommitted.isEmpty() || !transactions.active()) {
            return Optional.empty();
        }
        Object transaction = transactions.key();
        return uncommitted.values().stream()
                .filter(created -> created.transaction().equals(transaction))
                .map(Created::tube)
                .filter(tube -> tube.name().equals(name) && !isDroppedHere(tube))
                .findFirst();
    }

    /** Until its transaction ends a tube is gone for that transaction only. */
    private boolean isDroppedHere(TubeEngine tube) {
        return !dropped.isEmpty()
                && transactions.active()
                && transactions.key().equals(dropped.get(tube.stored().id()));
    }

    /** A tube as the database shows it, which the caller's transaction has not created: so it is there for all. */
    private TubeEngine committed(StoredTube stored) {
        Created created = uncommitted.get(stored.id());
        return publish(created != null ? created.tube() : engines.apply(stored));
    }

    /** A tube was created: it becomes known to others when the caller's transaction commits. */
    TubeEngine created(StoredTube stored) {
        TubeEngine tube = engines.apply(stored);
        if (!transactions.active()) {
            return publish(tube);
        }
        uncommitted.put(stored.id(), new Created(transactions.key(), tube));
        transactions.afterCommit(() -> publish(tube));
        transactions.atEnd(() -> uncommitted.remove(stored.id()));
        return tube;
    }

    private TubeEngine publish(TubeEngine tube) {
        TubeEngine published = byName.compute(tube.name(), (name, old) -> isSame(old, tube.stored()) ? old : tube);
        changed();
        return published;
    }

    private static boolean isSame(TubeEngine old, StoredTube stored) {
        return old != null && stored != null && old.stored().id() == stored.id();
    }

    /** Waits for a tube of that name; empty if it was not there within that time, or nobody wants it any more. */
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

    /** Those that wait for a tube look again whether it is there, and whether they still want it. */
    void changed() {
        synchronized (changes) {
            changes.notifyAll();
        }
    }

    /** Reads all tubes anew; those that wait at a tube that is no more are woken, and fail. */
    void read(OpenStore from) {
        List<TubeEngine> before = known();
        // Asked before the registry: a tube that is in memory then, and not in its answer, was dropped
        Set<Integer> inMemory = memory.tubes();
        Map<String, StoredTube> now = new HashMap<>();
        from.registry().tubes().forEach(tube -> now.put(tube.name(), tube));
        before.stream().filter(tube -> !isSame(tube, now.get(tube.name()))).forEach(TubeEngine::forget);
        now.values().forEach(tube -> byName.computeIfAbsent(tube.name(), name -> engines.apply(tube)));
        now.values().forEach(tube -> inMemory.remove(tube.id()));
        forgetInMemory(inMemory);
        changed();
    }

    /** Temporary tubes that other servers dropped; what they had is room for others. */
    private void forgetInMemory(Set<Integer> gone) {
        if (!gone.isEmpty()) {
            memory.forget(gone);
            temporaryRoomFreed();
        }
    }

    // What tubes ask for

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
    public void drop(StoredTube tube) {
        boolean temporary = tube.definition().temporary();
        if (temporary) {
            memory.awaitIdle(tube);
        }
        access.registry().dropTube(tube);
        if (temporary) {
            memory.drop(tube);
        }
        if (transactions.active()) {
            dropped.put(tube.id(), transactions.key());
            transactions.atEnd(() -> dropped.remove(tube.id()));
        }
    }

    @Override
    public void forget(StoredTube tube) {
        byName.computeIfPresent(tube.name(), (name, known) -> isSame(known, tube) ? null : known);
        listenerThreads.forget(tube);
    }

    /** Temporary tubes share their room, and that of one large task is enough for several small ones. */
    @Override
    public void temporaryRoomFreed() {
        byName.values().stream()
                .filter(tube -> tube.definition().temporary())
                .forEach(tube -> tube.runtime().putters().wakeOneForMore());
    }
}
