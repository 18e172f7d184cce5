package org.tasktube.outbound;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.tasktube.AdapterState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeDefinition;
import org.tasktube.queue.Queue;
import org.tasktube.queue.Session;

/** A connection as the application has it, with the session that holds what it takes. */
public final class TubeConnectionHandle implements TubeConnection {

    private final Queue queue;
    private final Session session = new Session();
    private volatile TubeManagedConnection managed;

    TubeConnectionHandle(Queue queue, TubeManagedConnection managed) {
        this.queue = queue;
        this.managed = managed;
    }

    void associate(TubeManagedConnection another) {
        managed = another;
    }

    @Override
    public UUID session() {
        return session.id();
    }

    @Override
    public Tube tube(String name) {
        return queue.tube(session, name);
    }

    @Override
    public List<TubeDefinition> tubes() {
        session.checkOpen();
        return queue.tubes();
    }

    @Override
    public Tube createTube(TubeDefinition definition) {
        return queue.createTube(session, definition);
    }

    @Override
    public Tube createTubeIfNotExists(TubeDefinition definition) {
        return queue.createTubeIfNotExists(session, definition);
    }

    @Override
    public Duration sweep() {
        session.checkOpen();
        return queue.sweep();
    }

    @Override
    public AdapterState state() {
        return queue.state();
    }

    @Override
    public void close() {
        if (endSession()) {
            managed.closed(this);
        }
    }

    /** Releases what is held; false if that was done before. */
    boolean endSession() {
        return queue.close(session);
    }
}
