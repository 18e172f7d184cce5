package org.tasktube.inflow;

import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.tasktube.Task;
import org.tasktube.TaskTubeException;
import org.tasktube.inflow.Prefetch.Claimed;
import org.tasktube.jca.LongRunning;
import org.tasktube.jca.Starter;
import org.tasktube.session.ClientConnection;
import org.tasktube.tube.TaskReceiver;
import org.tasktube.tube.TubeEngine;

/**
 * The threads that deliver claimed tasks to a bean: at most {@code maxSession}, and no more than there is work for.
 * Each has an endpoint of its own.
 *
 * <p>From its claim on each task is here, until its outcome is in the database or among the {@link DeferredWrites}.
 */
final class DeliveryThreads implements OutcomeHandler.Throttle {

    /** The time for which a thread without work stays, so that bursts do not need new threads each time. */
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(2);

    private final String bean;
    private final DeliveryPolicy policy;
    private final MessageEndpointFactory endpoints;
    private final Starter starter;
    private final Delivery delivery;
    private final ClientConnection client;
    private final Runnable wakeClaimer;
    private final RunningDeliveries running = new RunningDeliveries(System::nanoTime);
    private final DeferredWrites deferred = new DeferredWrites(System::nanoTime);
    private final OutcomeHandler outcomes;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition room = lock.newCondition();
    private final Prefetch prefetch;
    private final Pause pause = new Pause(System::nanoTime);
    private final ThreadRequests requests = new ThreadRequests(System::nanoTime);
    private int limit;
    private int busy;
    private int threads;

    /** The threads for which tasks are being put. */
    private int reserved;

    /** The threads for which the database has not answered the put or the commit yet, if the bean keeps the order. */
    private int putting;

    /** The time at which that began, in the monotonic clock. */
    private long putsSince;

    /** True while the claim loop looks for tasks. */
    private boolean looks;

    /** The time at which the claim loop looks at the latest for tasks that have waited too long, in the monotonic clock. */
    private long seesStaleAt = System.nanoTime() + Long.MAX_VALUE / 2;

    private boolean ending;

    /** @param wakeClaimer wakes the claim loop from its wait for tasks */
    DeliveryThreads(
            String bean,
            DeliveryPolicy policy,
            MessageEndpointFactory endpoints,
            Starter starter,
            Delivery delivery,
            ClientConnection client,
            Runnable wakeClaimer) {
        this.bean = bean;
        this.policy = policy;
        this.endpoints = endpoints;
        this.starter = starter;
        this.delivery = delivery;
        this.client = client;
        this.wakeClaimer = wakeClaimer;
        this.outcomes = new OutcomeHandler(bean, policy, client, deferred, this);
        this.prefetch = new Prefetch(System::nanoTime, policy.batchSize());
        this.limit = policy.maxSession();
    }

    // For the claim loop

    /**
     * Waits until the bean has room for more tasks. Returns their number; 0 if the claim loop first has other work.
     *
     * @param tube the tube to claim from
     * @param beforeWait runs before each wait
     */
    int awaitRoom(TubeEngine tube, Runnable beforeWait) throws InterruptedException {
        lock.lock();
        try {
            prefetch.mayClaimAhead(!tube.stored().isLimited());
            while (!ending && !deferred.isDue() && !requests.isReportDue()) {
                if (prefetch.isPaused()) {
                    returnUnstarted();
                } else if (prefetch.untilStale() == 0) {
                    prefetch.slowDown(policy.maxSession());
                    returnUnstarted();
                } else if (room() > 0) {
                    looks = true;
                    return room();
                } else {
                    beforeWait.run();
                    long untilPut = untilPut() > 0 ? untilPut() : Long.MAX_VALUE;
                    long until = Math.min(untilPut, Math.min(pause.untilOver(), requests.untilNextRetry()));
                    room.awaitNanos(Math.min(untilDue(), until));
                }
            }
            return 0;
        } finally {
            lock.unlock();
        }
    }

    /** Follows a look for tasks, for which {@link #awaitRoom} has given room. */
    void looked() {
        locked(() -> looks = false);
    }

    /** Returns the bytes of data after which a claim takes no more tasks. */
    long roomInBytes() {
        return inLock(prefetch::roomInBytes);
    }

    /** Learns whether a claim got its tasks. */
    void claimed(boolean done) {
        locked(() -> prefetch.claimed(done));
    }

    /**
     * Returns the time in nanoseconds for which claims wait for a put at most: for a session that keeps the order, a look
     * and a put at once would not see each other's tasks. After {@link Prefetch#MAX_AGE} the task of the put is returned.
     */
    private long untilPut() {
        return putting > 0 ? putsSince + Prefetch.MAX_AGE.toNanos() - System.nanoTime() : 0;
    }

    private int room() {
        return untilPut() <= 0 && pause.isOver() && !deferred.isFull() ? prefetch.room(sessions(), busy) : 0;
    }

    /**
     * Returns the number of deliveries that can run at once. If the server gives no more threads, the existing ones are
     * the limit.
     */
    private int sessions() {
        return requests.isShort() ? Math.min(limit, threads) : limit;
    }

    /** Returns the time in nanoseconds until the claim loop has other work here. It is to come back then. */
    long untilDue() {
        return inLock(() -> {
            long until = Math.min(Math.min(prefetch.untilStale(), requests.untilReport()), deferred.untilDue());
            seesStaleAt = System.nanoTime() + Math.min(until, Long.MAX_VALUE / 2);
            return until;
        });
    }

    /** Returns the time in nanoseconds that the next claim waits, so that it finds more tasks. */
    long gathering() {
        return inLock(() -> prefetch.gathering(busy));
    }

    /** Returns the tasks that were not begun if their tube is PAUSED now. Uses no database. */
    void modeChanged() {
        locked(() -> {
            if (prefetch.isPaused()) {
                returnUnstarted();
            }
            work.signalAll();
            room.signalAll();
        });
        wakeClaimer.run();
    }

    private void returnUnstarted() {
        Map<TubeEngine, List<Task>> byTube = prefetch.removeAll().stream()
                .collect(Collectors.groupingBy(Claimed::tube, Collectors.mapping(Claimed::task, Collectors.toList())));
        byTube.forEach(this::returnUnstarted);
    }

    private void returnUnstarted(TubeEngine tube, List<Task> tasks) {
        deferred.add(() -> tube.held().returnUnstarted(client.session(), tasks));
    }

    void add(TubeEngine tube, List<Task> tasks) {
        locked(() -> {
            // For a session that keeps the order, a task whose return has come meanwhile may be before these
            boolean mayBegin = policy.maxSession() > 1 || !deferred.isDue();
            if (pause.isOver() && mayBegin) {
                prefetch.add(tube, tasks, System.nanoTime());
                askForThread();
                // One per delivery: each other thread would wake for nothing
                for (int i = 0; i < prefetch.deliveries(tasks.size()); i++) {
                    work.signal();
                }
            } else {
                // Or a delivery was refused while the claim was under way
                returnUnstarted();
                returnUnstarted(tube, tasks);
            }
        });
    }

    // Tasks that are put for the bean while the claim loop waits

    /** Returns who gets the tasks of a tube that are put for this bean. */
    TaskReceiver receiver(TubeEngine tube) {
        return new TaskReceiver() {
            @Override
            public Optional<Reservation> reserve() {
                return inLock(() -> reserved(idle() > 0, keepsOrder() || !prefetch.isQuick(), keepsOrder()));
            }

            @Override
            public Optional<Reservation> reserveAhead(int bytes) {
                return inLock(() -> reserved(
                        !keepsOrder() && prefetch.hasPlace(sessions() - busy, sessions(), reserved, bytes),
                        true,
                        true));
            }

            @Override
            public void answered() {
                asks(-1);
            }

            @Override
            public void commits() {
                asks(1);
            }

            @Override
            public void cancel() {
                locked(() -> reserved--);
            }

            @Override
            public void receive(Task task, long since, boolean isLate) {
                boolean begins = inLock(() -> received(tube, task, since, isLate));
                if (!begins) {
                    wakeClaimer.run();
                }
            }
        };
    }

    private boolean keepsOrder() {
        return policy.maxSession() == 1;
    }

    /** Only who keeps the order needs the number, and the threads compete for the lock. */
    private void asks(int more) {
        if (keepsOrder()) {
            locked(() -> {
                putsSince = putting == 0 ? System.nanoTime() : putsSince;
                putting += more;
                if (putting == 0) {
                    room.signalAll();
                }
            });
        }
    }

    private int idle() {
        return sessions() - busy - prefetch.deliveries() - reserved;
    }

    /**
     * Reserves, unless what a look is about to bring, or a write to return, comes first: for a session that keeps the
     * order, and before what is put ahead. What a look is about to bring also needs all the threads of a slow bean.
     */
    private Optional<TaskReceiver.Reservation> reserved(boolean hasRoom, boolean afterLook, boolean afterWrites) {
        boolean mustWait = (looks && afterLook) || (afterWrites && !deferred.areDone());
        if (ending || !hasRoom || mustWait || !pause.isOver() || deferred.isFull()) {
            return Optional.empty();
        }
        int othersIdle = Math.max(0, idle() - 1);
        reserved++;
        asks(1);
        return Optional.of(new TaskReceiver.Reservation(client.session(), othersIdle, keepsOrder()));
    }

    /**
     * Adds a task that was put for the bean. Returns false if the claim loop is to ask for a thread, or to see to it that
     * the task does not wait too long, which it does for the tasks after that, too. The caller's thread must not ask: a
     * new thread would have its class loader, which is an application's.
     */
    private boolean received(TubeEngine tube, Task task, long since, boolean isLate) {
        reserved--;
        boolean isOld = System.nanoTime() - since > Prefetch.MAX_AGE.toNanos();
        boolean isPaused = tube.runtime().mode().committed().isPaused();
        if (isLate || isOld || isPaused || ending || !pause.isOver()) {
            // Its transaction took long, or the bean or its tube has stopped since
            returnUnstarted(tube, List.of(task));
            room.signalAll();
            return false;
        }
        prefetch.add(tube, List.of(task), since);
        work.signal();
        boolean begins = busy + prefetch.deliveries() <= Math.min(threads, limit);
        boolean isSeen = threads >= wanted() && seesStaleAt - (System.nanoTime() + Prefetch.MAX_AGE.toNanos()) <= 0;
        if (!begins && !isSeen) {
            room.signalAll();
        }
        return begins || isSeen;
    }

    /** Asks for a thread if a task waits for one. */
    void askIfNeeded() {
        locked(() -> {
            if (!prefetch.isEmpty()) {
                askForThread();
            }
        });
    }

    BeanLoad load() {
        return inLock(() -> new BeanLoad(
                running.now(),
                prefetch.all(),
                busy,
                limit,
                sessions(),
                deferred.isFull(),
                !pause.isOver(),
                requests.isShort()));
    }

    /** Asks for a thread if a task waits for one, retries deferred writes, and reports a shortage of threads. */
    void catchUp() {
        askIfNeeded();
        if (deferred.isDue()) {
            deferred.retry();
        }
        reportShortage();
    }

    /** Lets no new delivery begin. */
    void end() {
        locked(() -> {
            ending = true;
            requests.cancel();
            work.signalAll();
            room.signalAll();
        });
    }

    /** Returns the tasks that were not begun, and waits until the running deliveries have ended. */
    void awaitEnd() {
        while (!awaitEndOrDeferred()) {
            deferred.retry();
        }
        // If the database refuses now, the end of the session releases the tasks
        deferred.retry();
    }

    /**
     * Returns true when the running deliveries have ended, or false when a deferred write is due: one may never end.
     */
    private boolean awaitEndOrDeferred() {
        lock.lock();
        try {
            returnUnstarted();
            while (threads > 0 && !deferred.isDue()) {
                room.awaitNanos(deferred.untilDue());
            }
            return threads == 0;
        } catch (InterruptedException e) {
            // A leftover of an application's listener; nothing else interrupts this thread
            return false;
        } finally {
            lock.unlock();
        }
    }

    // Threads from the server

    /** Requests one more thread if there is work for it. That thread requests the next one. Never waits. */
    private void askForThread() {
        boolean wanted = threads < wanted();
        requests.wants(wanted());
        if (wanted && requests.mayOpen() && !ending) {
            Loop loop = new Loop();
            requests.open(() -> loop.request = starter.start(loop, this::refused));
        } else if (!wanted && !requests.isOpen()) {
            requests.satisfied();
        }
    }

    private int wanted() {
        return Math.min(limit, busy + prefetch.deliveries());
    }

    private void refused(String why) {
        locked(() -> {
            requests.refused(why);
            room.signalAll();
        });
        wakeClaimer.run();
    }

    private void reportShortage() {
        int wanted;
        int running;
        Optional<String> why;
        lock.lock();
        try {
            running = threads;
            wanted = Math.max(running + 1, requests.mostWanted());
            why = requests.report();
        } finally {
            lock.unlock();
        }
        why.ifPresent(
                reason -> OutcomeHandler.guarded(() -> Log.LOG.noThread(bean, policy.tube(), running, wanted, reason)));
    }

    // On the threads

    private final class Loop implements Runnable {

        private final BeanEndpoint endpoint = new BeanEndpoint(endpoints, delivery, policy.retry());
        private LongRunning request;

        @Override
        public void run() {
            if (!begin(this)) {
                return;
            }
            try (RunningDeliveries.Slot slot = running.slot()) {
                for (List<Claimed> next = inLock(DeliveryThreads.this::awaitNext); !next.isEmpty(); ) {
                    long start = System.nanoTime();
                    int tasks = next.size();
                    try {
                        deliver(next, slot);
                    } catch (Throwable e) {
                        locked(() -> delivered(System.nanoTime() - start, tasks));
                        throw e;
                    }
                    next = nextAfter(System.nanoTime() - start, tasks);
                }
            } finally {
                endpoint.release();
                threadEnds();
            }
        }

        private void deliver(List<Claimed> batch, RunningDeliveries.Slot slot) {
            DeliveryOutcome outcome = deliverOnce(batch, slot);
            // Also of a lone task, because the question clears the memory of its end
            List<Claimed> unfinished = outcome.isDone() ? batch : delivery.unfinished(batch);
            if (outcome.isDone() || batch.size() == 1) {
                outcomes.handle(batch, outcome);
            } else if (outcome instanceof DeliveryOutcome.NotDelivered) {
                outcomes.handle(unfinished, outcome);
            } else {
                outcomes.logSplit(batch, outcome);
                deliverEach(unfinished, slot);
            }
        }

        private DeliveryOutcome deliverOnce(List<Claimed> batch, RunningDeliveries.Slot slot) {
            DeliveryOutcome outcome = endpoint.deliver(batch, slot);
            if (!outcome.isDone()) {
                // The container may have discarded its bean
                endpoint.release();
            }
            // An interrupt left by the container must not fail the write
            Thread.interrupted();
            return outcome;
        }

        /**
         * Delivers the tasks of a failed batch again, each by itself: one of them may be the reason. The ttr of those
         * that wait for this begins again whenever some time has passed.
         */
        private void deliverEach(List<Claimed> batch, RunningDeliveries.Slot slot) {
            Deque<Claimed> left = new ArrayDeque<>(batch);
            long renewedAt = System.nanoTime() - Prefetch.MAX_AGE.toNanos();
            boolean goesOn = true;
            try {
                while (goesOn && inLock(() -> mayGoOn(left))) {
                    if (System.nanoTime() - renewedAt >= Prefetch.MAX_AGE.toNanos()) {
                        left.removeIf(each -> !outcomes.beginAgain(each));
                        renewedAt = System.nanoTime();
                    } else {
                        List<Claimed> next = List.of(left.removeFirst());
                        DeliveryOutcome outcome = isCancelled(next.get(0))
                                ? new DeliveryOutcome.Failed(new Exception("it was cancelled in a batch that failed"))
                                : deliverOnce(next, slot);
                        // It clears the memory of the task's end
                        List<Claimed> unused = outcome.isDone() ? next : delivery.unfinished(next);
                        outcomes.handle(next, outcome);
                        goesOn = !(outcome instanceof DeliveryOutcome.NotDelivered);
                    }
                }
            } catch (TaskTubeException e) {
                // The database is away, or refuses
                Log.LOG.thrown(e);
            } finally {
                if (!left.isEmpty()) {
                    outcomes.returnUnstarted(List.copyOf(left));
                }
            }
        }
    }

    private static boolean isCancelled(Claimed next) {
        return next.tube().isCancelled(next.task().id());
    }

    /** Returns whether the thread is still needed. */
    private boolean begin(Loop loop) {
        return inLock(() -> {
            requests.granted(loop.request);
            if (!ending) {
                threads++;
                room.signalAll();
                askForThread();
            }
            return !ending;
        });
    }

    /**
     * Ends a delivery and returns the tasks of the next one; none if the thread ends. Both take the lock once, for which
     * the threads compete.
     */
    private List<Claimed> nextAfter(long nanos, int tasks) {
        return inLock(() -> {
            delivered(nanos, tasks);
            if (!isThereWork()) {
                signalRoom();
            }
            return awaitNext();
        });
    }

    private List<Claimed> awaitNext() {
        long left = KEEP_ALIVE.toNanos();
        while (!ending && !isThereWork() && left > 0) {
            try {
                left = work.awaitNanos(left);
            } catch (InterruptedException e) {
                // A leftover of the application or the container: the adapter ends no thread by interrupts
                left -= TimeUnit.MILLISECONDS.toNanos(1);
            }
        }
        if (ending || !isThereWork()) {
            return List.of();
        }
        busy++;
        List<Claimed> next = prefetch.removeFirst();
        signalRoom();
        return next;
    }

    private boolean isThereWork() {
        return !prefetch.isEmpty() && busy < limit && !prefetch.isPaused();
    }

    private void signalRoom() {
        if (room() > 0) {
            room.signal();
        }
    }

    private void delivered(long nanos, int tasks) {
        busy--;
        prefetch.delivered(nanos, tasks);
    }

    private boolean mayGoOn(Deque<Claimed> left) {
        return !ending
                && pause.isOver()
                && !left.isEmpty()
                && !left.getFirst().tube().runtime().mode().committed().isPaused();
    }

    private void threadEnds() {
        locked(() -> {
            threads--;
            work.signal();
            room.signalAll();
            // A task may have arrived after this thread decided to end
            askForThread();
        });
    }

    // Effects of outcomes

    @Override
    public void resume() {
        locked(pause::reset);
    }

    @Override
    public Optional<Duration> pause() {
        Optional<Duration> begun = inLock(() -> {
            returnUnstarted();
            return pause.isOver() ? Optional.of(pause.begin()) : Optional.empty();
        });
        wakeClaimer.run();
        return begun;
    }

    /** Lowers the limit to the number of the other running deliveries: each of them has an instance. */
    @Override
    public int lowerLimit() {
        return inLock(() -> {
            if (limit == 1) {
                pause.begin();
            }
            limit = Math.max(1, Math.min(limit - 1, busy - 1));
            return limit;
        });
    }

    @Override
    public boolean othersRun() {
        return inLock(() -> busy > 1);
    }

    @Override
    public void deferred() {
        locked(room::signalAll);
        wakeClaimer.run();
    }

    // The lock

    private void locked(Runnable change) {
        inLock(() -> {
            change.run();
            return null;
        });
    }

    private <T> T inLock(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
