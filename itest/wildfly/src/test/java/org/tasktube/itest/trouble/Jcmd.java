package org.tasktube.itest.trouble;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.tasktube.itest.kit.WildFly;

/** Inspects a server's Java from outside. */
final class Jcmd {

    private final WildFly server;

    Jcmd(WildFly server) {
        this.server = server;
    }

    /** How many loaders have this class, and its instances at that: a row a loader, counted after a full collection. */
    int histogram(String type) {
        return (int) run("GC.class_histogram")
                .lines()
                .filter(line -> line.strip().matches("\\d+: .* " + type.replace(".", "\\.") + "( .*)?"))
                .count();
    }

    /** How many objects of this very class are reachable, of all loaders' together. */
    int instances(String type) {
        return run("GC.class_histogram")
                .lines()
                .map(line -> line.strip().split("\\s+"))
                .filter(columns -> columns.length > 3 && columns[3].equals(type))
                .mapToInt(columns -> Integer.parseInt(columns[1]))
                .sum();
    }

    /** How many threads have this frame on their stack. */
    int threads(String frame) {
        return (int) run("Thread.print")
                .lines()
                .filter(line -> line.contains("at " + frame))
                .count();
    }

    /** How many threads there are of each name, of which numbers are left out. */
    Map<String, Integer> threadsByName() {
        Map<String, Integer> threads = new TreeMap<>();
        run("Thread.print")
                .lines()
                .filter(line -> line.startsWith("\""))
                .map(line -> line.substring(1, line.indexOf('"', 1)).replaceAll("\\d+", "#"))
                .forEach(name -> threads.merge(name, 1, Integer::sum));
        return threads;
    }

    String run(String command) {
        try {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(server.pid()),
                            command)
                    .redirectErrorStream(true)
                    .start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
