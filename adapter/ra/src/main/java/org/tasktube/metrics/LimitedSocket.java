package org.tasktube.metrics;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * A connection for writing with one time limit for connecting and all writes together. Another thread can close it
 * during a wait. The JDK's own sockets have a limit for connecting, and none for writing.
 */
final class LimitedSocket extends Socket {

    private static final long NANOS_IN_MILLI = 1_000_000;

    private final Selector selector;
    private final SocketChannel channel;
    private final Duration limit;
    private final long end;

    private LimitedSocket(Selector selector, SocketChannel channel, Duration limit) {
        this.selector = selector;
        this.channel = channel;
        this.limit = limit;
        this.end = System.nanoTime() + limit.toNanos();
    }

    static LimitedSocket open(Duration limit) throws IOException {
        Selector selector = Selector.open();
        try {
            return new LimitedSocket(selector, SocketChannel.open(), limit);
        } catch (IOException e) {
            selector.close();
            throw e;
        }
    }

    void reach(InetSocketAddress address) throws IOException {
        channel.configureBlocking(false);
        boolean connected = channel.connect(address);
        while (!connected) {
            await(SelectionKey.OP_CONNECT);
            connected = channel.finishConnect();
        }
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                await(SelectionKey.OP_WRITE);
            }
        }
    }

    private void await(int operation) throws IOException {
        long left = end - System.nanoTime();
        if (left <= 0) {
            giveUp();
        }
        channel.register(selector, operation);
        selector.select(left / NANOS_IN_MILLI + 1);
    }

    private void giveUp() throws IOException {
        // Otherwise the kernel would keep unread bytes for minutes after the close
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        throw new SocketTimeoutException("it took longer than " + limit + ", the limit of a transmission");
    }

    @Override
    public OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b});
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                LimitedSocket.this.write(ByteBuffer.wrap(bytes, from, length));
            }
        };
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    /** Closes the socket, from any thread. A waiting thread finds it closed. */
    @Override
    public synchronized void close() throws IOException {
        try {
            channel.close();
        } finally {
            selector.close();
        }
    }
}
