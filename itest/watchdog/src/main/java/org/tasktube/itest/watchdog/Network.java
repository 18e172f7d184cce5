package org.tasktube.itest.watchdog;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The line to a database. It can be frozen: bytes go in, none come out, and neither side is notified. It can be cut, and
 * it can lose the answers of commits.
 */
public final class Network implements AutoCloseable {

    private static final String COMMIT = "COMMIT";

    private final ServerSocket listening;
    private final int target;
    private final List<Link> links = new CopyOnWriteArrayList<>();
    private final Object change = new Object();
    private boolean frozen;
    private boolean answersFrozen;
    private volatile boolean cut;
    private volatile boolean losesCommits;

    /** One connection of a client. */
    private final class Link {

        private final Socket client;
        private final Socket server;

        Link(Socket client) throws IOException {
            this.client = client;
            this.server = new Socket(InetAddress.getLoopbackAddress(), target);
        }

        void forwardRequests() {
            forward(client, server, false);
        }

        void forwardAnswers() {
            forward(server, client, true);
        }

        private void forward(Socket from, Socket to, boolean answers) {
            byte[] buffer = new byte[8192];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    awaitThaw(answers);
                    if (answers && losesCommits && isCommit(buffer, read)) {
                        return;
                    }
                    out.write(buffer, 0, read);
                }
            } catch (IOException | InterruptedException e) {
                // One side is closed, and by the end of this the other is
                return;
            } finally {
                links.remove(this);
            }
        }

        void close() {
            try {
                client.close();
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A line on 127.0.0.1 to that port. */
    public Network(int target) throws IOException {
        this.target = target;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    /** Whether an answer has the tag of a commit, also of one that was sent as a prepared statement. */
    private static boolean isCommit(byte[] buffer, int length) {
        return new String(buffer, 0, length, StandardCharsets.ISO_8859_1).contains(COMMIT);
    }

    public int port() {
        return listening.getLocalPort();
    }

    public void freeze() {
        set(true);
    }

    /** What is sent arrives, and what is answered does not. */
    public void freezeAnswers() {
        synchronized (change) {
            answersFrozen = true;
        }
    }

    public void thaw() {
        synchronized (change) {
            answersFrozen = false;
        }
        set(false);
    }

    private void set(boolean value) {
        synchronized (change) {
            frozen = value;
            change.notifyAll();
        }
    }

    /** Closes all connections, and each new one at once. */
    public void cut() {
        cut = true;
        links.forEach(Link::close);
    }

    /** Takes connections again. */
    public void mend() {
        cut = false;
    }

    /** From now on, a commit arrives, and in place of its answer the connection ends. */
    public void loseCommits(boolean value) {
        losesCommits = value;
    }

    private void accept() {
        try {
            while (true) {
                connect(listening.accept());
            }
        } catch (IOException e) {
            links.forEach(Link::close);
        }
    }

    private void connect(Socket client) throws IOException {
        if (cut) {
            client.close();
            return;
        }
        try {
            Link link = new Link(client);
            links.add(link);
            start(link::forwardRequests);
            start(link::forwardAnswers);
        } catch (IOException e) {
            client.close(); // The database is not there
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "network");
        thread.setDaemon(true);
        thread.start();
    }

    private void awaitThaw(boolean answers) throws InterruptedException {
        synchronized (change) {
            while (frozen || (answers && answersFrozen)) {
                change.wait();
            }
        }
    }

    @Override
    public void close() throws IOException {
        thaw();
        listening.close();
        links.forEach(Link::close);
    }
}
