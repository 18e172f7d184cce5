package org.tasktube.outbound;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.tasktube.AdapterState;
import org.tasktube.DriverRegistration;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeDefinition;
import org.tasktube.queue.Client;
import org.tasktube.queue.Queue;
import org.tasktube.spi.TubeDriver;

/** A connection as the application has it, with the session that holds what it takes. */
public final class TubeConnectionHandle implements TubeConnection {

    private final Queue queue;
    private final Client client = new Client();
    private volatile TubeManagedConnection managed;

    TubeConnectionHandle(Queue queue, TubeManagedConnection managed) {
        this.queue = queue;
        this.managed = managed;
    }

    void associate(TubeManagedConnection another) {
        managed = another;
    }

    @Override
    public UUID identify() {
        return queue.identify(client);
    }

    @Override
    public void identify(String session) {
        queue.identify(client, session);
    }

    @Override
    public DriverRegistration register(TubeDriver driver) {
        client.checkOpen();
        return queue.register(driver)::run;
    }

    @Override
    public Tube tube(String name) {
        return queue.tube(client, name);
    }

    @Override
    public List<TubeDefinition> tubes() {
        client.checkOpen();
        return queue.tubes();
    }

    @Override
    public Tube createTube(TubeDefinition definition) {
        return queue.createTube(client, definition);
    }

    @Override
    public Tube createTubeIfNotExists(TubeDefinition definition) {
        return queue.createTubeIfNotExists(client, definition);
    }

    @Override
    public Duration sweep() {
        client.checkOpen();
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
        return queue.close(client);
    }
}
