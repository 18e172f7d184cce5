package org.tasktube.store.memory;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tasktube.Fingerprint;

/** The time of the first failure of each kind, for the kinds that committed changes of tasks had last. */
final class FirstFailures {

    private static final int MOST = 1_000;

    @SuppressWarnings("serial") // it is never serialized
    private final Map<Long, Instant> times = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Instant> eldest) {
            return size() > MOST;
        }
    };

    void add(Row row) {
        if (row.failure != null) {
            times.putIfAbsent(row.failure.fingerprint().number(), row.failedAt);
        }
    }

    /** Returns the time of the first failure of a kind, at the latest the given one. */
    Instant of(Fingerprint kind, Instant earliest) {
        Instant first = times.get(kind.number());
        return first == null || earliest.isBefore(first) ? earliest : first;
    }
}
