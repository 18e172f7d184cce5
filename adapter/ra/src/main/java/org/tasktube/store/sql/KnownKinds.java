package org.tasktube.store.sql;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tasktube.Fingerprint;

/** The kinds of failures whose rows this server has seen lately. Threads share it. */
final class KnownKinds {

    /** A kind takes 2 KiB at most. */
    static final int MOST = 1_000;

    @SuppressWarnings("serial") // it is never serialized
    private final Map<Long, Fingerprint> kinds = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Fingerprint> eldest) {
            return size() > MOST;
        }
    };

    synchronized Optional<Fingerprint> get(long number) {
        return Optional.ofNullable(kinds.get(number));
    }

    synchronized void add(Fingerprint kind) {
        kinds.put(kind.number(), kind);
    }

    synchronized List<Long> numbers() {
        return List.copyOf(kinds.keySet());
    }

    synchronized List<Fingerprint> remove(Collection<Long> numbers) {
        return numbers.stream()
                .flatMap(number -> Optional.ofNullable(kinds.remove(number)).stream())
                .toList();
    }
}
