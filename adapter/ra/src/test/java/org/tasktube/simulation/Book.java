package org.tasktube.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.tasktube.Task;

/** Who has put, taken and acked what, and what is wrong with that. */
final class Book {

    private static final long UNKNOWN = Long.MAX_VALUE;

    private final Map<String, Entry> all = new TreeMap<>();
    private final Set<String> takes = new HashSet<>();
    private final Map<String, Integer> attempts = new HashMap<>();
    private final Set<String> mayBeAcked = new HashSet<>();
    private final Set<String> acked = new TreeSet<>();
    private final List<String> wrong = new ArrayList<>();
    private long steps;

    /** What a caller wants to put. */
    private static final class Entry {

        private final String queue;
        private final long begun;
        private final long notBefore;
        private long put = UNKNOWN;
        private boolean isRolledBack;

        Entry(String queue, long begun, long notBefore) {
            this.queue = queue;
            this.begun = begun;
            this.notBefore = notBefore;
        }

        /** Returns whether this was put before a caller has begun to put another one, and is to be taken before it. */
        boolean comesBefore(Entry other) {
            return queue.equals(other.queue) && notBefore == 0 && put < other.begun;
        }
    }

    /**
     * A put begins.
     *
     * @param queue the sub-queue, whose tasks are taken in the order of their puts; "" without one
     * @param notBefore the time before which it is DELAYED; 0 without a delay
     */
    String newText(String tube, String queue, long notBefore) {
        String text = tube + " " + all.size();
        all.put(text, new Entry(queue.isEmpty() ? "" : tube + queue, ++steps, notBefore));
        return text;
    }

    void isPut(String text) {
        all.get(text).put = ++steps;
    }

    /** The transaction of a put was rolled back, for certain. */
    void isNotPut(String text) {
        all.get(text).isRolledBack = true;
    }

    void isTaken(Task task, long now) {
        String text = task.text();
        attempts.merge(text, task.attempts(), Math::max);
        if (!takes.add(take(task))) {
            wrong.add(text + " is given to two by one take");
        }
        Entry entry = all.get(text);
        if (entry == null) {
            wrong.add(text + " is taken and was never put");
            return;
        }
        if (entry.isRolledBack) {
            wrong.add(text + " is taken, and its put was rolled back");
        }
        if (acked.contains(text)) {
            wrong.add(text + " is taken after its ack");
        }
        if (now < entry.notBefore) {
            wrong.add(text + " is taken before its delay is over");
        }
        if (!entry.queue.isEmpty()) {
            all.forEach((other, before) -> {
                if (before.comesBefore(entry) && !attempts.containsKey(other) && !isMaybeAcked(other)) {
                    wrong.add(text + " is taken before " + other);
                }
            });
        }
    }

    private static String take(Task task) {
        return task.text() + "@" + task.token();
    }

    /** Returns whether no caller has got this take of the task. */
    boolean isUnknown(Task task) {
        return !takes.contains(take(task));
    }

    /** An ack begins; nobody may learn whether it was done. */
    void mayBeAcked(Task task) {
        mayBeAcked.add(take(task));
    }

    /** The transaction of an ack was rolled back, for certain. */
    void isNotAcked(Task task) {
        mayBeAcked.remove(take(task));
    }

    private boolean isMaybeAcked(String text) {
        return mayBeAcked.stream().anyMatch(take -> take.startsWith(text + "@"));
    }

    void isAcked(Task task) {
        String text = task.text();
        if (task.attempts() < attempts.get(text)) {
            wrong.add(text + " is acked by one who does not hold it any more");
        }
        if (!acked.add(text)) {
            wrong.add(text + " is acked twice");
        }
    }

    void wrong(String what) {
        wrong.add(what);
    }

    /** Returns what is wrong, at the end, when the tubes are empty. */
    List<String> wrong() {
        List<String> found = new ArrayList<>(wrong);
        all.forEach((text, entry) -> {
            if (entry.put != UNKNOWN && !acked.contains(text) && !isMaybeAcked(text)) {
                found.add(text + " is lost");
            }
        });
        return found;
    }

    /** Returns how many tasks were put and acked, as their callers know. */
    int done() {
        return (int) acked.stream().filter(text -> all.get(text).put != UNKNOWN).count();
    }
}
