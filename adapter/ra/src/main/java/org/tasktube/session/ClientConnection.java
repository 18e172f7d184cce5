package org.tasktube.session;

import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.Task;

/**
 * One connection of an application. It takes tasks for a session, which other connections may share. Its waits are its
 * own.
 */
public final class ClientConnection {

    private final Set<Waiting> waiting = ConcurrentHashMap.newKeySet();
    private volatile Session session = new Session();
    private volatile boolean closed;

    /** A wait of a connection. It ends when the connection is closed. */
    @FunctionalInterface
    public interface Waiting {
        void connectionClosed();
    }

    /** Returns a connection that takes for a bean without a name. */
    public static ClientConnection feeding() {
        return feeding(Optional.empty());
    }

    /** Returns a connection that takes for a bean. */
    public static ClientConnection feeding(Optional<String> bean) {
        ClientConnection client = new ClientConnection();
        client.session.markFed(bean);
        return client;
    }

    /** Returns the id of the current session. */
    public UUID id() {
        return session.id();
    }

    public Session session() {
        return session;
    }

    /**
     * Changes the session for which this connection takes. Returns the session that it must leave: the former one. If
     * the connection is closed, or another thread has made it take for this session, that is this session.
     */
    public synchronized Session become(Session another) {
        if (closed || session == another) {
            return another;
        }
        Session former = session;
        session = another;
        return former;
    }

    public boolean isClosed() {
        return closed;
    }

    /**
     * Registers a wait, which ends with this connection.
     *
     * @throws IllegalStateException if the connection is closed; the wait has ended then
     */
    public void waits(Waiting something) {
        waiting.add(something);
        if (closed) {
            something.connectionClosed();
            checkOpen();
        }
    }

    public void waitsNoMore(Waiting something) {
        waiting.remove(something);
    }

    /** Closes the connection and ends its waits. Returns false if it was closed already. */
    public synchronized boolean close() {
        if (closed) {
            return false;
        }
        closed = true;
        waiting.forEach(Waiting::connectionClosed);
        return true;
    }

    public void checkOpen() {
        if (closed) {
            throw new IllegalStateException("this connection is closed; get another one where you need it");
        }
    }

    /**
     * Returns whether the bean itself has ended this take of the task. Ask once: the answer clears the memory of it.
     */
    public boolean wasFinished(Task task) {
        return session.wasFinished(task);
    }
}
