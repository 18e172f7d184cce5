package org.tasktube.itest.lanes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.tasktube.Task;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

/**
 * The begin and the end of each call of a bean of this process, in a file that outlives a kill: {@code B call nanos lane
 * task sub} and {@code E call nanos}. All processes of a machine have one monotonic clock on Linux.
 */
final class Journal {

    private static final AtomicLong CALLS = new AtomicLong();
    private static final Writer FILE = open();

    private Journal() {}

    private static Writer open() {
        Path file = Path.of(
                System.getProperty("jboss.server.base.dir"),
                "journal-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
        try {
            return Files.newBufferedWriter(file, CREATE, APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static long begin(Lane lane, Task task) {
        long call = CALLS.incrementAndGet();
        write("B " + call + " " + System.nanoTime() + " " + lane + " " + task.id() + " "
                + task.utube().orElse(""));
        return call;
    }

    static void end(long call) {
        write("E " + call + " " + System.nanoTime());
    }

    private static void write(String line) {
        synchronized (FILE) {
            try {
                FILE.write(line + "\n");
                FILE.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
