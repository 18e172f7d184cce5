package org.tasktube.simulation;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.node.Node;
import org.tasktube.session.ClientConnection;

/** One who puts and takes on a server: in transactions or not, with calls that wait, with failures, leaks and timeouts. */
final class Caller {

    private static final int SUB_QUEUES = 3;
    /** Without the time for which its server is frozen. */
    private static final Duration LONGEST_TAKE = Duration.ofSeconds(10);

    private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

    private final History history;
    private final SimulatedServer server;
    private final Scheduler scheduler;
    private final Random random;
    private final Book book;

    Caller(History history, SimulatedServer server, Scheduler scheduler, Book book) {
        this.history = history;
        this.server = server;
        this.scheduler = scheduler;
        this.random = scheduler.random();
        this.book = book;
    }

    /** Works until all are to be calm. */
    void works() {
        while (history.isWorking()) {
            try {
                act(oneOf(history.tubes()));
            } catch (TaskTubeException | IllegalStateException | SQLException | InternalError e) {
                // The server is not there, the application fails on purpose, or a call has failed
                scheduler.note(e.getMessage());
                scheduler.sleep(Duration.ofMillis(50));
            }
            scheduler.sleep(upTo(200));
        }
    }

    /** Puts, or waits for a moment and goes, while others wait. */
    void visits(int times) {
        for (int i = 0; i < times; i++) {
            ClientConnection connection = new ClientConnection();
            try {
                Tube tube = server.node().tube(connection, oneOf(history.tubes()));
                if (!tube.name().startsWith(History.IDLE) && oneIn(2)) {
                    put(tube);
                } else {
                    tube.take(upTo(300)).ifPresent(task -> {
                        book.isTaken(task, scheduler.now());
                        ack(tube, task);
                    });
                }
            } catch (TaskTubeException | IllegalStateException | SQLException | InternalError e) {
                scheduler.note(e.getMessage());
            } finally {
                server.node().close(connection);
            }
            scheduler.sleep(upTo(300));
        }
    }

    private <T> T oneOf(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private boolean oneIn(int times) {
        return random.nextInt(times) == 0;
    }

    private Duration upTo(int millis) {
        return Duration.ofMillis(random.nextInt(millis));
    }

    private void act(String name) throws SQLException {
        ClientConnection connection = new ClientConnection();
        boolean leaks = oneIn(12);
        Node node = server.node();
        if (leaks) {
            history.leaks(server, () -> node.close(connection));
        }
        try {
            Tube tube = node.tube(connection, name);
            if (oneIn(3)) {
                joinOrPublish(node, connection);
            }
            if (name.startsWith(History.IDLE)) {
                take(tube, connection);
            } else if (random.nextInt(5) < 2) {
                put(tube);
            } else if (oneIn(4)) {
                takeInTransaction(tube, connection);
            } else {
                take(tube, connection);
            }
        } finally {
            if (!leaks) {
                node.close(connection);
            }
        }
    }

    /** Has the session of the connection be known to all servers, or joins one that is. */
    private void joinOrPublish(Node node, ClientConnection connection) {
        List<UUID> sessions = history.sessions();
        if (sessions.isEmpty() || oneIn(2)) {
            sessions.add(oneIn(2) ? node.identify(connection) : node.identify(connection, upTo(5_000)));
        } else {
            node.identify(connection, oneOf(sessions).toString());
            scheduler.note("joins " + connection.id());
            Optional<Task> left = history.leftBy(connection.id());
            if (left.isPresent()) {
                ack(node.tube(connection, left.get().tube()), left.get());
            }
        }
    }

    private void put(Tube tube) throws SQLException {
        PutOptions options = PutOptions.defaults();
        String queue = tube.name().startsWith(History.SUB_QUEUES) ? "s" + random.nextInt(SUB_QUEUES) : "";
        if (!queue.isEmpty()) {
            options = options.utube(queue);
        }
        long notBefore = 0;
        if (oneIn(4)) {
            Duration delay = upTo((int) LONGEST_DELAY.toMillis());
            options = options.delay(delay);
            notBefore = scheduler.now() + delay.toNanos();
        }
        PutOptions chosen = options;
        String text = book.newText(tube.name(), queue, notBefore);
        boolean there = oneIn(2)
                ? tube.put(text, chosen, Duration.ZERO).isPresent()
                : inTransaction(() -> tube.put(text, chosen, Duration.ZERO).isPresent(), () -> book.isNotPut(text));
        if (there) {
            scheduler.note("has put " + text);
            book.isPut(text);
        }
    }

    private void take(Tube tube, ClientConnection connection) throws SQLException {
        long begun = scheduler.now();
        Optional<Task> found =
                tube.take(oneIn(3) || tube.name().startsWith(History.IDLE) ? upTo(3_000) : Duration.ZERO);
        Duration longest = LONGEST_TAKE.plus(scheduler.frozen(server.group()));
        if (scheduler.now() - begun > longest.toNanos()) {
            book.wrong("a take of " + tube.name() + " takes " + Duration.ofNanos(scheduler.now() - begun));
        }
        if (found.isEmpty()) {
            return;
        }
        Task task = found.get();
        scheduler.note("takes " + task.text());
        book.isTaken(task, scheduler.now());
        scheduler.sleep(upTo(oneIn(20) ? 8_000 : 300));
        if (history.sessions().contains(connection.id()) && oneIn(2)) {
            history.leaves(connection.id(), task);
            return;
        }
        int chance = random.nextInt(10);
        if (chance < 6 && oneIn(2)) {
            ack(tube, task);
        } else if (chance < 6) {
            inTransaction(
                    () -> {
                        book.mayBeAcked(task);
                        tube.ack(task);
                        return true;
                    },
                    () -> book.isNotAcked(task));
            isAcked(task);
        } else if (chance < 8) {
            tube.release(task, ReleaseOptions.defaults());
        } else if (chance < 9) {
            throw new IllegalStateException("fails, and its session ends");
        }
    }

    private void ack(Tube tube, Task task) {
        book.mayBeAcked(task);
        tube.ack(task);
        isAcked(task);
    }

    private void isAcked(Task task) {
        scheduler.note("has acked " + task.text());
        book.isAcked(task);
    }

    /** Also with a close in the midst of the transaction, by this caller or by another. */
    private void takeInTransaction(Tube tube, ClientConnection connection) throws SQLException {
        Node node = server.node();
        if (oneIn(4)) {
            scheduler.start("closer", server.group(), () -> {
                scheduler.sleep(upTo(300));
                node.close(connection);
            });
        }
        boolean closes = oneIn(4);
        AtomicReference<Task> taken = new AtomicReference<>();
        Optional<Task> done = inTransaction(
                () -> {
                    Optional<Task> found = tube.take(Duration.ZERO);
                    found.ifPresent(task -> {
                        scheduler.note("takes in a transaction " + task.text());
                        taken.set(task);
                        book.isTaken(task, scheduler.now());
                        if (!closes) {
                            scheduler.sleep(upTo(100));
                            book.mayBeAcked(task);
                            tube.ack(task);
                        }
                    });
                    if (closes) {
                        node.close(connection);
                    }
                    return closes ? Optional.empty() : found;
                },
                () -> Optional.ofNullable(taken.get()).ifPresent(book::isNotAcked));
        done.ifPresent(this::isAcked);
    }

    /**
     * Returns what the work does, if the caller learns that it has committed.
     *
     * @param undone called if the caller knows that it has not
     */
    private <T> T inTransaction(Supplier<T> work, Runnable undone) throws SQLException {
        SimulatedTransactions transactions = server.transactions();
        SimulatedTransactions.Open mine = transactions.begin();
        boolean ends = false;
        try {
            if (oneIn(15)) {
                timesOut(mine);
            }
            if (oneIn(10)) {
                transactions.afterCommit(() -> {
                    throw new InternalError("of the application, after the commit");
                });
            }
            T result = work.get();
            scheduler.sleep(upTo(300));
            if (oneIn(10)) {
                throw new IllegalStateException("rolls back on purpose");
            }
            ends = true;
            if (transactions.commit(history.isWorking() && oneIn(20))) {
                return result;
            }
            throw new IllegalStateException("does not learn of its commit");
        } finally {
            if (!ends && transactions.rollback()) {
                undone.run();
            }
        }
    }

    private void timesOut(SimulatedTransactions.Open mine) {
        scheduler.start("reaper", server.group(), () -> {
            scheduler.sleep(upTo(200));
            try {
                server.transactions().timeOut(mine);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
