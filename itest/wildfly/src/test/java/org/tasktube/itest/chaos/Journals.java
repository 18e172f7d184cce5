package org.tasktube.itest.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tasktube.itest.lanes.Lane;

/** Looks for two beans that worked on one task, or in one sub-queue, at the same time. */
final class Journals {

    /** The wall clock minus the monotonic clock, in nanoseconds. */
    private static final long OFFSET = System.currentTimeMillis() * 1_000_000 - System.nanoTime();

    /** The ttr begins before the bean does, on a busy machine by so much. */
    private static final Duration BEFORE_THE_BEAN = Duration.ofSeconds(1);

    private final Map<String, List<Call>> calls = new HashMap<>();
    private int count;

    /** @param end the begin, if the process ended before */
    private record Call(String of, long begin, long end) {

        Call endedAt(long nanos) {
            return new Call(of, begin, nanos);
        }
    }

    /** Reads those of a server. */
    void read(List<Path> files) throws IOException {
        for (Path file : files) {
            read(file);
        }
    }

    private void read(Path file) throws IOException {
        Map<String, List<Call>> open = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("B") && words.length == 6) {
                open.put(words[1], begun(words));
                count++;
            } else if (words[0].equals("E") && words.length == 3) {
                open.remove(words[1]).forEach(call -> add(call.endedAt(Long.parseLong(words[2]))));
            }
        }
        open.values().forEach(left -> left.forEach(this::add));
    }

    /** Of a task, and of its sub-queue if there is one. */
    private static List<Call> begun(String[] words) {
        long nanos = Long.parseLong(words[2]);
        String lane = words[3];
        List<Call> begun = new ArrayList<>();
        begun.add(new Call(lane + " task " + words[4], nanos, nanos));
        if (!words[5].isEmpty()) {
            begun.add(new Call(lane + " " + words[5], nanos, nanos));
        }
        return begun;
    }

    private void add(Call call) {
        calls.computeIfAbsent(call.of, of -> new ArrayList<>()).add(call);
    }

    int count() {
        return count;
    }

    /** Returns those that nothing excuses: neither a fault nor the end of a ttr. */
    List<String> overlaps(List<Inflicted> faults) {
        List<String> overlaps = new ArrayList<>();
        calls.forEach((of, all) -> {
            all.sort(Comparator.comparingLong(Call::begin));
            for (int i = 1; i < all.size(); i++) {
                Call first = all.get(i - 1);
                Call second = all.get(i);
                if (second.begin < first.end && !isTimedOut(first, second) && !isExcused(faults, first, second)) {
                    overlaps.add(of + ": " + (first.end - second.begin) / 1_000 + " µs at " + instant(second.begin));
                }
            }
        });
        return overlaps;
    }

    private static boolean isTimedOut(Call first, Call second) {
        return lane(first).hasRunTime()
                && second.begin - first.begin
                        >= Lane.RUN_TIME.minus(BEFORE_THE_BEAN).toNanos();
    }

    private static boolean isExcused(List<Inflicted> faults, Call first, Call second) {
        return faults.stream()
                .anyMatch(fault -> fault.excuses(instant(first.begin), instant(second.begin))
                        || fault.releases(lane(first), instant(second.begin)));
    }

    private static Lane lane(Call call) {
        return Lane.valueOf(call.of.substring(0, call.of.indexOf(' ')));
    }

    private static Instant instant(long nanos) {
        return Instant.ofEpochMilli((nanos + OFFSET) / 1_000_000);
    }
}
