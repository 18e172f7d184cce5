package org.tasktube.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;

/**
 * A directory in memory for the databases of this process. The tests create a thousand, each of 7 MB. On a disk a
 * database takes a tenth of a second, in memory a hundredth.
 */
final class DataInMemory {

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "tasktube-test-";

    /** Some containers have 64 MB. */
    private static final long LEAST_ROOM = 4L << 30;

    private DataInMemory() {}

    /** Returns a new directory, or none if this machine has no such memory. */
    static Optional<Path> directory() {
        try {
            if (!Files.isDirectory(MEMORY)) {
                return Optional.empty();
            }
            removeLeftOver();
            return Files.getFileStore(MEMORY).getUsableSpace() < LEAST_ROOM
                    ? Optional.empty()
                    : Optional.of(Files.createTempDirectory(
                            MEMORY, PREFIX + ProcessHandle.current().pid() + "-"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes the directories of processes that were killed. Their databases end when they notice that. */
    private static void removeLeftOver() throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.list(MEMORY)) {
            all = files.filter(file -> file.getFileName().toString().startsWith(PREFIX))
                    .toList();
        }
        for (Path directory : all) {
            if (ProcessHandle.of(pid(directory)).isEmpty()) {
                FileUtils.deleteQuietly(directory.toFile());
            }
        }
    }

    private static long pid(Path directory) {
        String name = directory.getFileName().toString();
        return Long.parseLong(name.substring(PREFIX.length(), name.lastIndexOf('-')));
    }
}
