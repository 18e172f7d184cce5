package org.tasktube.itest.watchdog;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * What some tests need and a machine may not have: the one place that decides whether it is there. Without it, its tests
 * are left out, and the {@link TestReport} says so in a line at the end of the run.
 */
public enum Tool {
    // Maven decides, when it starts: with the browser it brings what drives it
    CHROMIUM("tests in a browser, and of the scripts for it", "chromium", () -> Boolean.getBoolean("chromium")),
    PROMTOOL("checks of metrics, alerts and dashboard by promtool", "prometheus", () -> onPath("promtool")),
    PGBOUNCER("a pool of connections between server and database", "pgbouncer", () -> onPath("pgbouncer")),
    PATRONI(
            "databases under Patroni",
            "patroni, etcd-server, postgresql-15",
            () -> onPath("patroni")
                    && onPath("etcd")
                    && Files.isExecutable(Path.of("/usr/lib/postgresql/15/bin/pg_rewind"))),
    FAKETIME("wrong clocks of servers", "libfaketime", () -> Files.exists(Path.of(Tool.FAKETIME_LIBRARY)));

    public static final String FAKETIME_LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

    /** The file, in the directory target of a module, with a line for each tool that its tests have missed. */
    static final String LEFT_OUT = "left-out.txt";

    private final String tests;
    private final String debianPackage;
    private final boolean there;

    Tool(String tests, String debianPackage, BooleanSupplier search) {
        this.tests = tests;
        this.debianPackage = debianPackage;
        this.there = search.getAsBoolean();
    }

    private static boolean onPath(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    /** Returns the same in the whole process; if it is not there, the report will say that its tests are left out. */
    public boolean isThere() {
        if (!there) {
            note();
        }
        return there;
    }

    /** Returns which package has to be installed for what. */
    public String missing() {
        return tests + " (Debian: " + debianPackage + ")";
    }

    private void note() {
        try {
            Path target = Files.createDirectories(Path.of("target"));
            Files.writeString(
                    target.resolve(LEFT_OUT), missing() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
