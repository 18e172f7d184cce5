package org.tasktube.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The line to a database, which can be frozen: bytes go in, none come out, and neither side is notified. */
public final class Network implements AutoCloseable {

    private final ServerSocket listening;
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Object change = new Object();
    private boolean frozen;
    private boolean answersFrozen;

    /** A line on 127.0.0.1 to that port. */
    public Network(int target) throws IOException {
        this.target = target;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
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

    private void accept() {
        try {
            while (true) {
                Socket from = listening.accept();
                Socket to = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.addAll(List.of(from, to));
                start(() -> forward(from, to, false));
                start(() -> forward(to, from, true));
            }
        } catch (IOException e) {
            closeAll();
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "network");
        thread.setDaemon(true);
        thread.start();
    }

    private void forward(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[8192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                awaitThaw(answers);
                out.write(buffer, 0, read);
            }
        } catch (IOException | InterruptedException e) {
            // One side is closed, and by the end of this the other is
            return;
        }
    }

    private void awaitThaw(boolean answers) throws InterruptedException {
        synchronized (change) {
            while (frozen || (answers && answersFrozen)) {
                change.wait();
            }
        }
    }

    private void closeAll() {
        sockets.forEach(socket -> {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Override
    public void close() throws IOException {
        thaw();
        listening.close();
        closeAll();
    }
}
