package org.tasktube.console.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * All streams of this server. Each tick reads the frames once for all clients, and sends each client those that it has
 * not seen. A client that has not taken the frame before misses this one: nothing waits for it. The next frame that it
 * gets is the newest.
 */
final class Streams {

    /** The most streams at once. */
    static final int MAX = 64;

    /** The time after which a stream ends. The client connects again, with the rights that its user has then. */
    static final Duration LIFETIME = Duration.ofMinutes(5);

    /**
     * The longest silence. Proxies close a connection that is silent for long. A page takes a longer silence for the
     * loss of its server, as js/stream.js says.
     */
    static final Duration SILENCE = Duration.ofSeconds(5);

    /** The time in which a client must take a frame. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The time in which a client must take the last frame after the end of its login. */
    static final Duration LAST_PATIENCE = Duration.ofSeconds(1);

    private static final Logger LOG = Logger.getLogger("org.tasktube.console");

    private final Supplier<List<Frame>> source;
    private final List<Stream> streams = new ArrayList<>();

    Streams(Supplier<List<Frame>> source) {
        this.source = source;
    }

    /** Adds a client. Returns false if there are as many streams as there can be. */
    synchronized boolean add(Client client, long nanoTime) {
        streams.removeIf(stream -> stream.client.isClosed());
        if (streams.size() >= MAX) {
            return false;
        }
        streams.add(new Stream(client, nanoTime));
        return true;
    }

    synchronized boolean isEmpty() {
        return streams.isEmpty();
    }

    /** Sends each client what it has not seen. Ends the streams whose time is over. */
    void tick(long nanoTime) {
        List<Stream> open = open(nanoTime);
        if (open.isEmpty()) {
            return;
        }
        open.stream().filter(stream -> stream.client.isLoggedOut()).forEach(Stream::end);
        List<Frame> frames = source.get();
        open.forEach(stream -> stream.sendOrFail(frames, nanoTime));
    }

    private synchronized List<Stream> open(long nanoTime) {
        streams.removeIf(stream -> stream.hasEnded(nanoTime));
        return List.copyOf(streams);
    }

    /** Ends the streams of a login. Later ones would show the numbers to a user who has logged out. */
    synchronized void end(String login) {
        streams.stream().filter(stream -> stream.client.isOf(login)).forEach(Stream::end);
    }

    synchronized void close() {
        streams.forEach(Stream::close);
        streams.clear();
    }

    /** One stream. Only the thread of the ticks sends. */
    private static final class Stream {

        private final Client client;
        private final long begin;
        private final Map<String, Frame> seen = new HashMap<>();
        private CompletableFuture<?> sending = CompletableFuture.completedFuture(null);
        private long last;
        private boolean ending;

        Stream(Client client, long nanoTime) {
            this.client = client;
            this.begin = nanoTime;
            this.last = nanoTime;
        }

        /** Returns whether the stream has ended. Ends one whose time is over, and closes one that takes nothing. */
        synchronized boolean hasEnded(long nanoTime) {
            if (client.isClosed() || (ending && sending.isDone())) {
                return true;
            }
            Duration patience = ending ? LAST_PATIENCE : PATIENCE;
            boolean stuck = !sending.isDone() && nanoTime - last >= patience.toNanos();
            if (stuck || sending.isCompletedExceptionally()) {
                close();
                return true;
            }
            if (nanoTime - begin >= LIFETIME.toNanos()) {
                end();
            }
            return client.isClosed();
        }

        /** Closes the client after the frame that it takes now. At the same time, it would get broken bytes. */
        synchronized void end() {
            if (!ending) {
                ending = true;
                sending = sending.whenComplete((sent, failure) -> close());
            }
        }

        /** Closes the client. The server may refuse that, and it must not be the end of the other streams. */
        void close() {
            try {
                client.close();
            } catch (RuntimeException e) {
                LOG.debug("A stream of events could not be closed; the server ends its connection by itself", e);
            }
        }

        /** The server may refuse to send to a client that goes away at this moment. The others get their frames. */
        synchronized void sendOrFail(List<Frame> frames, long nanoTime) {
            try {
                send(frames, nanoTime);
            } catch (RuntimeException | Error e) {
                sending = CompletableFuture.failedFuture(e);
            }
        }

        private void send(List<Frame> frames, long nanoTime) {
            if (ending || !sending.isDone()) {
                return;
            }
            List<Frame> unseen = frames.stream()
                    .filter(frame -> !frame.isSeenIn(seen.get(frame.event())))
                    .toList();
            if (!unseen.isEmpty()) {
                sending = CompletableFuture.allOf(unseen.stream()
                        .map(frame -> client.send(frame.since(seen.get(frame.event())))
                                .toCompletableFuture())
                        .toArray(CompletableFuture[]::new));
                unseen.forEach(frame -> seen.put(frame.event(), frame));
                last = nanoTime;
            } else if (nanoTime - last >= SILENCE.toNanos()) {
                sending = client.alive().toCompletableFuture();
                last = nanoTime;
            }
        }
    }
}
