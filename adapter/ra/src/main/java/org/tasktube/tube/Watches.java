package org.tasktube.tube;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.TaskState;
import org.tasktube.TaskWatch;
import org.tasktube.session.ClientConnection;

/** The watches of one tube's tasks on this server. */
public final class Watches {

    private final Supplier<AdapterState> state;
    private final Map<Long, List<Watch>> byTask = new ConcurrentHashMap<>();

    /**
     * Creates the watches of a tube.
     *
     * @param state returns the adapter's current state
     */
    Watches(Supplier<AdapterState> state) {
        this.state = state;
    }

    Watch open(long task, ClientConnection client) {
        Watch watch = new Watch(task, client);
        byTask.compute(task, (id, watches) -> {
            List<Watch> all = watches == null ? new CopyOnWriteArrayList<>() : watches;
            all.add(watch);
            return all;
        });
        return watch;
    }

    /** Reports that a task is in this state, by a commit on this server. */
    void changed(long task, TaskState to) {
        if (!byTask.isEmpty()) {
            byTask.getOrDefault(task, List.of()).forEach(watch -> watch.notifyOf(to));
        }
    }

    void changed(Collection<Long> tasks, TaskState to) {
        if (!byTask.isEmpty()) {
            tasks.forEach(task -> changed(task, to));
        }
    }

    public Set<Long> tasks() {
        return byTask.keySet();
    }

    /** Returns the number of reports of each watch. Call this before a query of the database. */
    public Map<Watch, Long> notified() {
        Map<Watch, Long> notified = new HashMap<>();
        byTask.values().forEach(watches -> watches.forEach(watch -> notified.put(watch, watch.notified())));
        return notified;
    }

    /** Reports the result of a query, unless a watch has had a newer report since. */
    public static void found(Map<Watch, Long> toldBefore, Map<Long, TaskState> states) {
        toldBefore.forEach((watch, notified) -> watch.found(notified, states.getOrDefault(watch.task, TaskState.DONE)));
    }

    /** Ends all watches, because the tube is gone. */
    public void endAll() {
        changed(List.copyOf(byTask.keySet()), TaskState.DONE);
    }

    /** Wakes all waits, which fail because the adapter is no longer RUNNING. */
    public void wakeAll() {
        byTask.values().forEach(watches -> watches.forEach(Watch::wake));
    }

    /** One watch of one task. */
    public final class Watch implements TaskWatch, ClientConnection.Waiting {

        private final long task;
        private final ClientConnection client;
        private final Deque<TaskState> news = new ArrayDeque<>();
        private TaskState last;
        private long notified;
        private boolean over;
        private boolean closed;

        private Watch(long task, ClientConnection client) {
            this.task = task;
            this.client = client;
        }

        private synchronized long notified() {
            return notified;
        }

        private synchronized void notifyOf(TaskState state) {
            notified++;
            if (state != last && last != TaskState.DONE) {
                last = state;
                news.addLast(state);
            }
            notifyAll();
        }

        /** Reports the state from the beginning of the watch, before any change since. */
        synchronized void begin(TaskState state) {
            if (last == null) {
                notifyOf(state);
            } else if (news.peekFirst() != state) {
                news.addFirst(state);
            }
        }

        /** Reports the result of a query, unless a report or a close came since. */
        private synchronized void found(long toldBefore, TaskState state) {
            if (notified == toldBefore && !closed) {
                notifyOf(state);
            }
        }

        private synchronized void wake() {
            notifyAll();
        }

        @Override
        public synchronized Optional<TaskState> next(Duration timeout) {
            if (timeout.isNegative()) {
                throw new IllegalArgumentException("timeout " + timeout + " is negative; set zero to not wait");
            }
            long end = System.nanoTime() + Deadlines.capped(timeout);
            long left = end - System.nanoTime();
            while (news.isEmpty() && !over && !closed && left > 0) {
                checkRunning();
                await(left);
                left = end - System.nanoTime();
            }
            Optional<TaskState> next = Optional.ofNullable(news.pollFirst());
            over |= next.filter(state -> state == TaskState.DONE).isPresent();
            return next;
        }

        private void checkRunning() {
            AdapterState now = state.get();
            if (now != AdapterState.RUNNING) {
                throw new AdapterNotRunningException(now, "the state of the task is unknown now; watch it again later");
            }
        }

        private void await(long nanos) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, nanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AdapterNotRunningException(
                        state.get(), "the thread that waited for a change was interrupted");
            }
        }

        @Override
        public void connectionClosed() {
            close();
        }

        @Override
        public synchronized boolean isOver() {
            return over;
        }

        @Override
        public void close() {
            synchronized (this) {
                closed = true;
                notifyAll();
            }
            byTask.computeIfPresent(task, (id, watches) -> {
                watches.remove(this);
                return watches.isEmpty() ? null : watches;
            });
            client.waitsNoMore(this);
        }
    }
}
