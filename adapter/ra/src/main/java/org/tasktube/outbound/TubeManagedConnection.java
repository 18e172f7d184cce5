package org.tasktube.outbound;

import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionEventListener;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.IllegalStateException;
import jakarta.resource.spi.LocalTransaction;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionMetaData;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.security.auth.Subject;
import javax.transaction.xa.XAResource;
import org.tasktube.node.Node;
import org.tasktube.node.Version;

/**
 * The pool's permission to use the node. Tasks are held by the session of a handle. That session may outlive the handle
 * until a transaction ends, while the managed connection already serves another application.
 *
 * <p>A managed connection has no transaction of its own. All operations run in the datasource's transaction, so that
 * there is only one resource.
 */
final class TubeManagedConnection implements ManagedConnection, TubeConnectionHandle.Managed, OpenConnections.Pooled {

    private final Node node;
    private final OpenConnections open;
    private final List<ConnectionEventListener> listeners = new CopyOnWriteArrayList<>();
    private final Set<TubeConnectionHandle> handles = ConcurrentHashMap.newKeySet(1);
    private volatile boolean used;
    private volatile boolean destroyed;
    private volatile PrintWriter logWriter;

    TubeManagedConnection(Node node, OpenConnections open) {
        this.node = node;
        this.open = open;
        open.add(this);
    }

    boolean isOf(Node another) {
        return node == another;
    }

    @Override
    public List<Origin> origins() {
        return handles.stream().map(TubeConnectionHandle::origin).toList();
    }

    @Override
    public Object getConnection(Subject subject, ConnectionRequestInfo info) throws ResourceException {
        checkUsable();
        TubeConnectionHandle fresh = new TubeConnectionHandle(node, this, !used);
        used = true;
        handles.add(fresh);
        return fresh;
    }

    private void checkUsable() throws ResourceException {
        if (destroyed) {
            throw new IllegalStateException("this managed connection was destroyed; create another one");
        }
    }

    @Override
    public void closed(TubeConnectionHandle closed) {
        handles.remove(closed);
        ConnectionEvent event = new ConnectionEvent(this, ConnectionEvent.CONNECTION_CLOSED);
        event.setConnectionHandle(closed);
        listeners.forEach(listener -> listener.connectionClosed(event));
    }

    @Override
    public void dissociate(TubeConnectionHandle moved) {
        handles.remove(moved);
    }

    @Override
    public void associateConnection(Object connection) throws ResourceException {
        checkUsable();
        if (!(connection instanceof TubeConnectionHandle moved)) {
            throw new ResourceException(
                    connection + " is no connection of TaskTube; associate one that its factory has created");
        }
        if (moved.isClosed()) {
            throw new IllegalStateException(
                    "a closed connection cannot move to another managed connection; get a new one");
        }
        moved.associate(this);
        handles.add(moved);
    }

    /** Ends the handles that their applications have not closed, when the pool takes the managed connection back. */
    @Override
    public void cleanup() throws ResourceException {
        ResourceException failure = null;
        for (TubeConnectionHandle handle : List.copyOf(handles)) {
            handles.remove(handle);
            try {
                if (handle.endSession()) {
                    open.leaked(handle.origin());
                }
            } catch (RuntimeException e) {
                failure = withFailure(failure, e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Collects failures, so that the failure of one handle does not keep the others open. */
    private static ResourceException withFailure(ResourceException before, RuntimeException next) {
        if (before != null) {
            before.addSuppressed(next);
            return before;
        }
        return new ResourceException("a connection that was left open did not end: " + next.getMessage(), next);
    }

    @Override
    public void destroy() throws ResourceException {
        destroyed = true;
        open.remove(this);
        cleanup();
    }

    @Override
    public void addConnectionEventListener(ConnectionEventListener listener) {
        listeners.add(listener);
    }

    @Override
    public void removeConnectionEventListener(ConnectionEventListener listener) {
        listeners.remove(listener);
    }

    @Override
    public XAResource getXAResource() throws ResourceException {
        throw new NotSupportedException("TaskTube takes part in transactions through its datasource");
    }

    @Override
    public LocalTransaction getLocalTransaction() throws ResourceException {
        throw new NotSupportedException("TaskTube takes part in transactions through its datasource");
    }

    @Override
    public ManagedConnectionMetaData getMetaData() {
        return new MetaData();
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        logWriter = out;
    }

    @Override
    public PrintWriter getLogWriter() {
        return logWriter;
    }

    private static final class MetaData implements ManagedConnectionMetaData {

        @Override
        public String getEISProductName() {
            return "TaskTube";
        }

        @Override
        public String getEISProductVersion() {
            return Version.ours();
        }

        /** Returns 0 for no limit: the pool has one. */
        @Override
        public int getMaxConnections() {
            return 0;
        }

        @Override
        public String getUserName() {
            return "";
        }
    }
}
