package org.tasktube.session;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.Task;

/** One connection of an application: it takes for a session, which it may share, and waits for itself alone. */
public final class ClientConnection {

    private final Set<Waiting> waiting = ConcurrentHashMap.newKeySet();
    private volatile Session session = new Session();
    private volatile boolean closed;

    /** Something that waits on behalf of a connection, and ends with it. */
    @FunctionalInterface
    public interface Waiting {
        void connectionClosed();
    }

    /** Returns a connection that takes for a bean. */
    public static ClientConnection feeding() {
        ClientConnection client = new ClientConnection();
        client.session.feed();
        return client;
    }

    /** Returns the id of the session that it takes for. */
    public UUID id() {
        return session.id();
    }

    public Session session() {
        return session;
    }

    /** Takes for another session from now on. */
    public void become(Session another) {
        session = another;
    }

    public boolean isClosed() {
        return closed;
    }

    /**
     * Has something end with this connection.
     *
     * @throws IllegalStateException if the connection is closed; what waits has ended then
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

    /** Returns false if it was closed already. */
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
            throw new IllegalStateException("this connection is closed; get another one where it is needed");
        }
    }

    /** Returns whether a bean has let that taking go itself; asked once. */
    public boolean hasLetGo(Task task) {
        return session.hasLetGo(task);
    }
}
