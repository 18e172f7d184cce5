package org.tasktube.itest.kit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

/** What a server writes to its console: kept in a file over all its starts, and watched for lines to wait for. */
public final class ServerLog {

    private final Path file;
    private final List<Watch> watches = new CopyOnWriteArrayList<>();
    private CompletableFuture<Void> end = CompletableFuture.completedFuture(null);

    ServerLog(Path file) {
        this.file = file;
    }

    public Path file() {
        return file;
    }

    /** All lines so far. */
    public List<String> lines() {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The errors among the lines from a number on, with what caused them, each on a line of its own. */
    String errors(int from) {
        List<String> all = lines();
        return all.subList(Math.min(from, all.size()), all.size()).stream()
                .filter(line -> line.contains(" ERROR ") || line.startsWith("Caused by: "))
                .map(line -> "\n" + line)
                .collect(Collectors.joining());
    }

    /**
     * The next line that contains one of these texts. Ask before doing what makes the server write it, then wait. Fails
     * when the server ends without having written one.
     */
    public CompletableFuture<String> next(String... texts) {
        List<String> wanted = List.of(texts);
        return next(line -> wanted.stream().anyMatch(line::contains));
    }

    /** As {@link #next(String...)} with a condition of one's own, which must be quick. */
    public CompletableFuture<String> next(Predicate<String> condition) {
        Watch watch = new Watch(condition, new CompletableFuture<>());
        watches.add(watch);
        return watch.line;
    }

    /** Reads on a thread of its own until the process ends: a process whose console is not read comes to a halt. */
    void readFrom(Process process) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        end = ended;
        Thread reader = new Thread(() -> copy(process, ended), "console of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** When the last line of the last process has been read. */
    CompletableFuture<Void> end() {
        return end;
    }

    private void copy(Process process, CompletableFuture<Void> ended) {
        try (BufferedReader console = process.inputReader(UTF_8);
                Writer copy = Files.newBufferedWriter(file, CREATE, APPEND)) {
            for (String line = console.readLine(); line != null; line = console.readLine()) {
                copy.write(line + "\n");
                copy.flush();
                offer(line);
            }
            endWatches(new IllegalStateException("the server has ended; its log is " + file));
        } catch (IOException | RuntimeException e) {
            endWatches(e);
        } finally {
            ended.complete(null);
        }
    }

    private void offer(String line) {
        watches.removeIf(watch -> watch.isOverWith(line));
    }

    private void endWatches(Exception reason) {
        watches.forEach(watch -> watch.line.completeExceptionally(reason));
        watches.clear();
    }

    private record Watch(Predicate<String> condition, CompletableFuture<String> line) {

        boolean isOverWith(String next) {
            return line.isDone() || (condition.test(next) && line.complete(next));
        }
    }
}
