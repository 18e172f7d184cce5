package org.tasktube.queue;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.Task;

/** One connection: it takes for a session, which it may share, and what it waits for it waits for alone. */
public final class Client {

    private final Set<WaitLine.Waiter> waiting = ConcurrentHashMap.newKeySet();
    private volatile Session session = new Session();
    private volatile boolean closed;

    /** The id of the session that it takes for. */
    public UUID id() {
        return session.id();
    }

    /** One that takes for a bean. */
    public static Client feeding() {
        Client client = new Client();
        client.session.feed();
        return client;
    }

    Session session() {
        return session;
    }

    void become(Session another) {
        session = another;
    }

    boolean isClosed() {
        return closed;
    }

    void waits(WaitLine.Waiter waiter) {
        waiting.add(waiter);
    }

    void waitsNoMore(WaitLine.Waiter waiter) {
        waiting.remove(waiter);
    }

    /** False if it was closed already. */
    synchronized boolean close() {
        if (closed) {
            return false;
        }
        closed = true;
        waiting.forEach(WaitLine.Waiter::wake);
        return true;
    }

    public void checkOpen() {
        if (closed) {
            throw new IllegalStateException("this connection is closed; get another one where it is needed");
        }
    }

    /** Whether a bean has let that taking go itself; asked once. */
    public boolean hasLetGo(Task task) {
        return session.hasLetGo(task);
    }
}
