package org.tasktube.outbound;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.AdapterState;
import org.tasktube.Schedule;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.node.Node;
import org.tasktube.session.ClientConnection;
import org.tasktube.spi.DriverRegistration;
import org.tasktube.spi.TubeDriver;
import org.tasktube.spi.TubeDrivers;

/** A connection as the application has it, with the session that holds the tasks that it takes. */
public final class TubeConnectionHandle implements TubeConnection, TubeDrivers {

    /** The managed connection that a handle is associated with. */
    interface Managed {

        /** Removes a handle that another managed connection serves from now on. */
        void dissociate(TubeConnectionHandle handle);

        /** Removes a handle that the application has closed, and notifies the pool. */
        void closed(TubeConnectionHandle handle);
    }

    private final Node node;
    private final ClientConnection client = new ClientConnection();
    private volatile Managed managed;
    private volatile Origin origin = Origin.unknown();

    /** True if the pool had to create the managed connection, as one does that leaks have emptied. */
    private final boolean isFirst;

    TubeConnectionHandle(Node node, Managed managed, boolean isFirst) {
        this.node = node;
        this.managed = managed;
        this.isFirst = isFirst;
    }

    boolean isFirst() {
        return isFirst;
    }

    void setOrigin(Origin origin) {
        this.origin = origin;
    }

    Origin origin() {
        return origin;
    }

    /** Moves to another managed connection; the former one does not know this handle from then on. */
    synchronized void associate(Managed another) {
        managed.dissociate(this);
        managed = another;
    }

    @Override
    public UUID identify() {
        return node.identify(client);
    }

    @Override
    public UUID identify(Duration keep) {
        return node.identify(client, keep);
    }

    @Override
    public UUID identify(Duration keep, String owner) {
        return node.identify(client, keep, owner);
    }

    @Override
    public void identify(String session) {
        node.identify(client, session);
    }

    @Override
    public void identify(UUID session) {
        node.identify(client, session.toString());
    }

    @Override
    public Duration identify(UUID session, String owner) {
        return node.identify(client, session, owner);
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        client.checkOpen();
        if (type == TaskAdmin.class) {
            return type.cast(node.admin(client));
        }
        if (!type.isInterface() || !type.isInstance(this)) {
            throw new IllegalArgumentException("a connection has no interface " + type.getName() + "; it unwraps to "
                    + TaskAdmin.class.getName() + ", " + TubeDrivers.class.getName() + " and "
                    + TubeConnection.class.getName());
        }
        return type.cast(this);
    }

    @Override
    public DriverRegistration register(TubeDriver driver) {
        client.checkOpen();
        return node.register(driver)::run;
    }

    @Override
    public Tube tube(String name) {
        return node.tube(client, name);
    }

    @Override
    public Optional<Tube> findTube(String name) {
        return node.findTube(client, name);
    }

    @Override
    public List<TubeDefinition> tubes() {
        client.checkOpen();
        return node.tubes();
    }

    @Override
    public Tube createTube(TubeDefinition definition) {
        return node.createTube(client, definition);
    }

    @Override
    public Tube createTubeIfNotExists(TubeDefinition definition) {
        return node.createTubeIfNotExists(client, definition);
    }

    @Override
    public boolean schedule(Schedule schedule) {
        return node.schedule(client, schedule);
    }

    @Override
    public boolean unschedule(String name) {
        return node.unschedule(client, name);
    }

    @Override
    public Duration sweep() {
        client.checkOpen();
        return node.sweep();
    }

    @Override
    public AdapterState state() {
        return node.state();
    }

    @Override
    public boolean awaitRunning(Duration timeout) {
        return node.awaitRunning(client, timeout);
    }

    /**
     * Returns the managed connection to the pool even if the session's end fails, so that no failure empties the pool.
     */
    @Override
    public void close() {
        boolean first = true;
        try {
            first = endSession();
        } finally {
            if (first) {
                managed.closed(this);
            }
        }
    }

    boolean isClosed() {
        return client.isClosed();
    }

    /** Releases the tasks that the session holds; returns false if the session had ended before. */
    boolean endSession() {
        return node.close(client);
    }
}
