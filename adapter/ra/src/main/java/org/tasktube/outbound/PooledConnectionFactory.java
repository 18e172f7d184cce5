package org.tasktube.outbound;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ManagedConnectionFactory;
import java.lang.StackWalker.Option;
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

    private static final StackWalker CALLER = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

    private final PoolFactory factory;
    private final ConnectionManager manager;
    private Reference reference;

    PooledConnectionFactory(PoolFactory factory, ConnectionManager manager) {
        this.factory = factory;
        this.manager = manager;
    }

    @Override
    public TubeConnection getConnection() {
        TubeConnection connection = allocate();
        if (connection instanceof TubeConnectionHandle handle) {
            try {
                // Each frame costs as much as all the rest here. A pool that leaks have emptied had to create its
                // connections, so of these the whole place is read
                handle.setOrigin(
                        handle.isFirst()
                                ? Origin.callerOf(PooledConnectionFactory.class)
                                : Origin.in(CALLER.getCallerClass()));
            } catch (IllegalCallerException e) {
                // The caller has no frame that a walk may see
                handle.setOrigin(Origin.unknown());
            }
        }
        return connection;
    }

    private TubeConnection allocate() {
        try {
            return (TubeConnection) manager.allocateConnection(factory, null);
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
