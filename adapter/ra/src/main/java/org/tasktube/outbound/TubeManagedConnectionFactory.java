package org.tasktube.outbound;

import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.ResourceAdapterAssociation;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.Set;
import javax.security.auth.Subject;
import org.tasktube.node.Node;
import org.tasktube.node.NodeSource;

/** Creates managed connections to the node of the resource adapter that the container associates it with. */
public class TubeManagedConnectionFactory implements PooledConnectionFactory.PoolFactory, ResourceAdapterAssociation {

    private static final long serialVersionUID = 1;

    private transient ResourceAdapter adapter;
    private transient PrintWriter logWriter;
    private transient OpenConnections open;

    @Override
    public Object createConnectionFactory(ConnectionManager manager) {
        return new PooledConnectionFactory(this, manager);
    }

    @Override
    public Object createConnectionFactory() throws ResourceException {
        throw new NotSupportedException("TaskTube works inside a server only; inject the connection factory");
    }

    @Override
    public ManagedConnection createManagedConnection(Subject subject, ConnectionRequestInfo info) {
        return new TubeManagedConnection(node(), open());
    }

    @Override
    public String describeOpenConnections() {
        return open().describe();
    }

    /** Returns the open connections of this factory's pool. Created on demand: a deserialized factory has none. */
    private synchronized OpenConnections open() {
        if (open == null) {
            open = new OpenConnections();
        }
        return open;
    }

    /** All connections to one node are alike; an adapter that was started anew has another node. */
    @Override
    @SuppressWarnings("rawtypes") // the interface's own raw type
    public ManagedConnection matchManagedConnections(Set connections, Subject subject, ConnectionRequestInfo info) {
        for (Object connection : connections) {
            if (connection instanceof TubeManagedConnection ours && ours.isOf(node())) {
                return ours;
            }
        }
        return null;
    }

    private Node node() {
        if (adapter instanceof NodeSource source) {
            return source.node();
        }
        throw new IllegalStateException("this connection factory is not associated with TaskTube's resource adapter;"
                + " let the server create it");
    }

    @Override
    public ResourceAdapter getResourceAdapter() {
        return adapter;
    }

    @Override
    public void setResourceAdapter(ResourceAdapter adapter) {
        this.adapter = adapter;
    }

    @Override
    public PrintWriter getLogWriter() {
        return logWriter;
    }

    @Override
    public void setLogWriter(PrintWriter logWriter) {
        this.logWriter = logWriter;
    }

    /** Returns whether both are of one adapter: they have no properties in which they could differ. */
    @Override
    public boolean equals(Object other) {
        return other instanceof TubeManagedConnectionFactory that && Objects.equals(adapter, that.adapter);
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(adapter);
    }
}
