package org.tasktube.tube;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.tasktube.PutOptions;
import org.tasktube.TaskOrder;
import org.tasktube.session.CurrentDelivery;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;
import org.tasktube.store.sql.Afters;
import org.tasktube.store.sql.TaskStore;

/**
 * The order of tasks: which ones a put is after and before, and what follows the end of a parent. {@link Afters} keeps
 * it.
 *
 * <p>A parent is put by the same transaction as its first child, or its child waits for the caller's own delivery. So no
 * child can become READY meanwhile, and none of them shares a lock with others.
 */
public final class Followers implements TubeContext.Ordering {

    /** The least time between two looks, in which the ends of parents gather. */
    private static final Duration GATHER = Duration.ofMillis(5);

    /** The time until the next look at tasks that other transactions have locked. It doubles with each. */
    private static final Duration LOCKED = Duration.ofMillis(20);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    /** The time between two parts of the look at all, which leaves the thread to others. */
    private static final Duration BETWEEN = Duration.ofMillis(20);

    /** The time after a use in which a look that finds no wait proves nothing: its transaction may still be open. */
    private static final Duration IDLE = Duration.ofMinutes(10);

    /** The most parents of one look. */
    private static final int BATCH = 500;

    private final Transactions transactions;
    private final TubeContext.Server server;
    private final TubeContext.Directory directory;
    private final Deadlines deadlines;
    private final Executor background;

    /** What open transactions have put, by their identities. */
    private final Map<Object, Set<Long>> made = new ConcurrentHashMap<>();

    /** The parents that have ended, or may have. */
    private final Set<Long> ended = new TreeSet<>();

    private boolean looks;
    private long lastLook = System.nanoTime();

    private boolean looksAtAll;
    private boolean anew;

    /** Whether some task may wait for another: without that, no removal of a task leads to a look. */
    private volatile boolean used;

    private long lastUse;

    public Followers(
            Transactions transactions,
            TubeContext.Server server,
            TubeContext.Directory directory,
            Deadlines deadlines,
            Executor background) {
        this.transactions = transactions;
        this.server = server;
        this.directory = directory;
        this.deadlines = deadlines;
        this.background = background;
    }

    // Puts

    @Override
    public void made(List<Long> ids) {
        if (transactions.active()) {
            Object key = transactions.key();
            Set<Long> mine = made.get(key);
            if (mine == null) {
                mine = ConcurrentHashMap.newKeySet();
                made.put(key, mine);
                transactions.atEnd(() -> made.remove(key));
            }
            mine.addAll(ids);
        }
    }

    private Set<Long> made() {
        return transactions.active() ? made.getOrDefault(transactions.key(), Set.of()) : Set.of();
    }

    static boolean isOrdered(List<PutOptions> options) {
        for (PutOptions each : options) {
            if (!each.order().isNone()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public Put put(StoredTube tube, List<PutOptions> options, TaskStore store, Supplier<Put> put) {
        uses();
        List<TaskOrder> orders = options.stream().map(PutOptions::order).toList();
        orders.forEach(this::check);
        return store.together(() -> {
            Put answer = put.get();
            if (answer.outcome() == Put.Outcome.DONE) {
                order(tube, answer.ids(), orders);
            }
            return answer;
        });
    }

    private void check(TaskOrder order) {
        Set<Long> mine = made();
        order.after().stream()
                .filter(parent -> !mine.contains(parent.id()))
                .findFirst()
                .ifPresent(parent -> {
                    throw new IllegalArgumentException("after has task " + parent + ", which "
                            + (transactions.active()
                                    ? "this transaction has not put"
                                    : "was put before, outside a transaction")
                            + ", so that it may have ended already; put both in one JTA transaction");
                });
    }

    private void order(StoredTube tube, List<Long> ids, List<TaskOrder> orders) {
        Map<TaskOrder, List<Long>> byOrder = new LinkedHashMap<>();
        for (int i = 0; i < ids.size(); i++) {
            byOrder.computeIfAbsent(orders.get(i), order -> new ArrayList<>()).add(ids.get(i));
        }
        byOrder.forEach((order, some) -> {
            if (!order.after().isEmpty()) {
                after(tube, some, order);
            }
            order.before().forEach(child -> before(some, child));
        });
    }

    private void after(StoredTube tube, List<Long> ids, TaskOrder order) {
        Set<Long> parents = order.after().stream().map(TaskOrder.Ref::id).collect(Collectors.toSet());
        int found = server.afters().add(tube, ids, parents, order.anyEnd());
        if (found < parents.size()) {
            throw refused("after has " + (parents.size() - found) + " of " + parents.size()
                    + " tasks that this transaction has ended already; leave them out");
        }
    }

    private void before(List<Long> ids, TaskOrder.Ref child) {
        TubeContext.OrderedTube tube = directory
                .find(child.tube())
                .orElseThrow(() -> refused("before has task " + child + ", and there is no such tube"));
        if (made().contains(child.id())) {
            tube.holdBack(child.id());
        } else if (!server.afters().isBehind(CurrentDelivery.ids(), child.id())) {
            throw refused("before has task " + child + ", which this transaction has not put, and which waits for no"
                    + " task whose delivery this is; put both in one transaction, or this one in a delivery before it");
        }
        if (!server.afters().isWaiting(tube.stored(), child.id())) {
            throw refused("before has task " + child + ", which waits for no other task: it has been taken, has ended,"
                    + " is BURIED, or has a delay");
        }
        server.afters().addBefore(tube.stored(), child.id(), ids);
    }

    /** Has an edited form of a task wait as that one did, and others for it as they did for that one. */
    @Override
    public void move(TubeContext.OrderedTube tube, long old, long id, boolean waited) {
        server.afters().move(tube.stored(), old, id, waited);
        if (waited) {
            tube.holdBack(id);
        }
    }

    /** Returns a refusal of what is done in part. */
    private IllegalArgumentException refused(String why) {
        if (transactions.active()) {
            transactions.setRollbackOnly();
        }
        return new IllegalArgumentException(why);
    }

    // Ends

    @Override
    public void ended(Collection<Long> ids, boolean areFollowed) {
        if (areFollowed) {
            uses();
        }
        if (used && !ids.isEmpty()) {
            synchronized (ended) {
                ended.addAll(ids);
                lookIn(Duration.ofNanos(Math.max(0, lastLook + GATHER.toNanos() - System.nanoTime())));
            }
        }
    }

    @Override
    public void gone() {
        if (used) {
            lookAtAll();
        }
    }

    private void uses() {
        synchronized (ended) {
            lastUse = System.nanoTime();
            used = true;
        }
    }

    private void lookIn(Duration delay) {
        if (!looks) {
            looks = true;
            server.executeIn(delay, this::look);
        }
    }

    private void look() {
        Set<Long> some;
        synchronized (ended) {
            looks = false;
            lastLook = System.nanoTime();
            some = ended.stream().limit(BATCH).collect(Collectors.toCollection(TreeSet::new));
            ended.removeAll(some);
            if (!ended.isEmpty()) {
                lookIn(GATHER);
            }
        }
        settle(some, LOCKED);
    }

    /**
     * Another transaction can lock a child, or a row, for long: each is looked at again by itself, and holds up no
     * other. After some seconds the look at all goes on with it.
     */
    private void settle(Set<Long> parents, Duration pause) {
        try {
            Afters.Found found = server.afters().settle(parents);
            if (found.areDue()) {
                deadlines.due(Duration.ZERO);
            }
            if (!found.again().isEmpty() && pause.compareTo(LONGEST_PAUSE) < 0) {
                server.executeIn(pause, () -> settle(found.again(), pause.multipliedBy(2)));
            }
            found.lost().forEach(this::bury);
        } catch (RuntimeException e) {
            if (parents.size() > 1) {
                parents.forEach(parent -> server.executeIn(LONGEST_PAUSE, () -> settle(Set.of(parent), LONGEST_PAUSE)));
            }
            throw e;
        }
    }

    /** Looks for all that has been left, as by a server that has died: in parts, on the background thread. */
    public void lookAtAll() {
        synchronized (ended) {
            anew = looksAtAll;
            if (!looksAtAll) {
                looksAtAll = true;
                background.execute(() -> lookFrom(Afters.Place.START));
            }
        }
    }

    private void lookFrom(Afters.Place from) {
        Optional<Afters.Place> next = Optional.empty();
        try {
            if (from.equals(Afters.Place.START)) {
                boolean any = server.afters().isUsed();
                synchronized (ended) {
                    used = any || (used && System.nanoTime() - lastUse < IDLE.toNanos());
                }
            }
            if (used) {
                Afters.Look part = server.afters().look(from);
                ended(part.parents(), false);
                next = part.next();
            }
        } finally {
            goOn(next);
        }
    }

    private void goOn(Optional<Afters.Place> next) {
        synchronized (ended) {
            next.ifPresent(place -> server.executeIn(BETWEEN, () -> background.execute(() -> lookFrom(place))));
            looksAtAll = next.isPresent();
            if (next.isEmpty() && anew) {
                lookAtAll();
            }
        }
    }

    /** Buries a task that can never follow its parent. Without its tube here, the next look at all does so. */
    private void bury(Afters.Lost lost) {
        directory.byId(lost.tube()).ifPresent(known -> {
            known.buryWaiting(
                    lost.child(),
                    "task " + lost.parent()
                            + ", before it, has ended without an ack: it was deleted, or its ttl was over");
            server.afters().endAllBefore(lost.child());
        });
    }
}
