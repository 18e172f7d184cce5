package org.tasktube.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.tasktube.Task;

/** Who has put, taken and acked what, and what is wrong with that. */
final class Book {

    private final Set<String> all = new HashSet<>();
    private final Set<String> put = new TreeSet<>();
    private final Map<String, Long> notBefore = new HashMap<>();
    private final Map<String, Integer> attempts = new HashMap<>();
    private final Set<String> mayBeAcked = new HashSet<>();
    private final Set<String> acked = new HashSet<>();
    private final List<String> wrong = new ArrayList<>();

    String newText(String tube) {
        String text = tube + " " + all.size();
        all.add(text);
        return text;
    }

    /** A task is delayed at least until a time. */
    void notBefore(String text, long nanos) {
        notBefore.put(text, nanos);
    }

    void isPut(String text) {
        put.add(text);
    }

    void isTaken(Task task, long now) {
        String text = task.text();
        attempts.merge(text, task.attempts(), Math::max);
        if (!all.contains(text)) {
            wrong.add(text + " is taken and was never put");
        }
        if (acked.contains(text)) {
            wrong.add(text + " is taken after its ack");
        }
        if (now < notBefore.getOrDefault(text, 0L)) {
            wrong.add(text + " is taken before its delay is over");
        }
    }

    /** Returns whether no caller has got this take of the task. */
    boolean isUnknown(Task task) {
        return task.attempts() > attempts.getOrDefault(task.text(), 0);
    }

    /** An ack begins; nobody may learn whether it was done. */
    void mayBeAcked(String text) {
        mayBeAcked.add(text);
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
        put.stream()
                .filter(text -> !acked.contains(text) && !mayBeAcked.contains(text))
                .forEach(text -> found.add(text + " is lost"));
        return found;
    }
}
