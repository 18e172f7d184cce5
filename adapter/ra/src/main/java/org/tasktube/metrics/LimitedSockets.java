package org.tasktube.metrics;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import javax.net.SocketFactory;

/** Makes connections, one at a time, each of which has a limit, and ends the present one when told so. */
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
        return new UnsupportedOperationException("Graphite does not ask from which port it is told something");
    }
}
