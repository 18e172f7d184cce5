package org.tasktube.itest.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.tasktube.itest.kit.ServerOptions;
import org.tasktube.itest.watchdog.Tool;

/** The clock of a server, which can be wrong: libfaketime adds to it what a file says. Java's monotonic clock is not. */
final class Clock {

    private final Path file;

    Clock(Path file) {
        this.file = file.toAbsolutePath();
        set("+0");
    }

    /** Whether this machine has the library. */
    static boolean isThere() {
        return Tool.FAKETIME.isThere();
    }

    /** Returns the options of a server that has this clock. */
    ServerOptions of(ServerOptions options) {
        return isThere()
                ? options.environment(Map.of(
                        "LD_PRELOAD",
                        Tool.FAKETIME_LIBRARY,
                        "FAKETIME_TIMESTAMP_FILE",
                        file.toString(),
                        "FAKETIME_CACHE_DURATION",
                        "1",
                        "FAKETIME_FORCE_MONOTONIC_FIX",
                        "0",
                        "FAKETIME_DONT_FAKE_MONOTONIC",
                        "1"))
                : options;
    }

    /** Has the clock be wrong within a second. */
    void step(Duration error) {
        set((error.isNegative() ? "" : "+") + error.toSeconds());
    }

    private void set(String error) {
        try {
            Files.writeString(file, error + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
