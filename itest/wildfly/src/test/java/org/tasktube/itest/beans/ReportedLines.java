package org.tasktube.itest.beans;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Lines that beans leave for tests, by key; for the life of one deployment. */
final class ReportedLines {

    private static final Map<String, List<String>> LINES = new ConcurrentHashMap<>();

    private ReportedLines() {}

    static void add(String key, String line) {
        LINES.computeIfAbsent(key, k -> new CopyOnWriteArrayList<>()).add(line);
    }

    /** The lines of a key in the order of their adding, one per line. */
    static String of(String key) {
        return String.join("\n", LINES.getOrDefault(key, List.of()));
    }
}
