package org.tasktube.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Listens where Graphite would, and keeps the lines that it receives. */
public final class TcpGraphite implements AutoCloseable {

    private final BlockingQueue<List<String>> connections = new LinkedBlockingQueue<>();
    private final ServerSocket server;

    /** On a port that is free. */
    public TcpGraphite() {
        this(0);
    }

    public TcpGraphite(int port) {
        try {
            server = new ServerSocket();
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        new Thread(this::listen, "graphite").start();
    }

    private void listen() {
        while (!server.isClosed()) {
            try (Socket socket = server.accept();
                    BufferedReader reader = new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
                connections.add(reader.lines().toList());
            } catch (IOException e) {
                // Closed, or the other side was: the next call of accept says which
            }
        }
    }

    public int port() {
        return server.getLocalPort();
    }

    /** All lines of the next connection; waits for its end. */
    public List<String> lines() throws InterruptedException {
        List<String> lines = connections.poll(60, TimeUnit.SECONDS);
        if (lines == null) {
            throw new AssertionError("nothing was received within 20 seconds");
        }
        return lines;
    }

    /** Whether a further connection has sent its lines. */
    public boolean hasMore() {
        return !connections.isEmpty();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
