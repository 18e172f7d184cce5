package org.tasktube.outbound;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ManagedConnectionFactory;
import javax.naming.Reference;
import org.tasktube.ConnectionException;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/** Gets connections from the container's pool. */
public final class PooledConnectionFactory implements TubeConnectionFactory {

    private static final long serialVersionUID = 1;

    /** The factory of the pool's managed connections, which knows the open ones. */
    interface PoolFactory extends ManagedConnectionFactory {

        /** Returns a text that names the places that have most connections open; empty if none is open. */
        String describeOpenConnections();
    }

    private final PoolFactory factory;
    private final ConnectionManager manager;
    private Reference reference;

    PooledConnectionFactory(PoolFactory factory, ConnectionManager manager) {
        this.factory = factory;
        this.manager = manager;
    }

    @Override
    public TubeConnection getConnection() {
        try {
            TubeConnection connection = (TubeConnection) manager.allocateConnection(factory, null);
            if (connection instanceof TubeConnectionHandle handle) {
                handle.setOrigin(Origin.callerOf(PooledConnectionFactory.class));
            }
            return connection;
        } catch (ResourceException e) {
            String open = factory.describeOpenConnections();
            throw new ConnectionException(
                    "the server gave no connection to TaskTube: " + e.getMessage()
                            + (open.isEmpty() ? "" : "; open and not closed: " + open)
                            + "; close each connection where you get it, or raise the pool's size",
                    e);
        }
    }

    @Override
    public void setReference(Reference reference) {
        this.reference = reference;
    }

    @Override
    public Reference getReference() {
        return reference;
    }
}
