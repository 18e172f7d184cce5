package org.tasktube.outbound;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionManager;
import javax.naming.Reference;
import org.tasktube.ConnectionException;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/** Gets connections from the container's pool. */
public final class PooledConnectionFactory implements TubeConnectionFactory {

    private static final long serialVersionUID = 1;

    private final TubeManagedConnectionFactory factory;
    private final ConnectionManager manager;
    private Reference reference;

    PooledConnectionFactory(TubeManagedConnectionFactory factory, ConnectionManager manager) {
        this.factory = factory;
        this.manager = manager;
    }

    @Override
    public TubeConnection getConnection() {
        try {
            TubeConnection connection = (TubeConnection) manager.allocateConnection(factory, null);
            if (connection instanceof TubeConnectionHandle handle) {
                handle.gotAt(Origin.here());
            }
            return connection;
        } catch (ResourceException e) {
            String open = factory.open().inWords();
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
