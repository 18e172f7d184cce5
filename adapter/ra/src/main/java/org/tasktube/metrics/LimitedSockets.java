package org.tasktube.metrics;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import javax.net.SocketFactory;

/** Creates connections with a time limit, one at a time, and can end the current one. */
final class LimitedSockets extends SocketFactory {

    private final Duration limit;
    private LimitedSocket current;
    private boolean ended;

    LimitedSockets(Duration limit) {
        this.limit = limit;
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        LimitedSocket socket = open();
        try {
            socket.reach(new InetSocketAddress(host, port));
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private synchronized LimitedSocket open() throws IOException {
        if (ended) {
            throw new SocketException("the adapter stops");
        }
        current = LimitedSocket.open(limit);
        return current;
    }

    synchronized void end() throws IOException {
        ended = true;
        if (current != null) {
            current.close();
        }
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return createSocket(InetAddress.getByName(host), port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw fromAnyPortOnly();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
        throw fromAnyPortOnly();
    }

    private static UnsupportedOperationException fromAnyPortOnly() {
        return new UnsupportedOperationException(
                "connections to Graphite have no local port of their own; set host and port only");
    }
}
