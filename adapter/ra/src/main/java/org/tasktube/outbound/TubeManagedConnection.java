package org.tasktube.outbound;

import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionEventListener;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.LocalTransaction;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionMetaData;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.security.auth.Subject;
import javax.transaction.xa.XAResource;
import org.tasktube.queue.Queue;

/**
 * What the pool keeps: permission to use the queue. What is taken is held by the session of a handle, which may outlive
 * the handle until a transaction ends, while the managed connection already serves somebody else.
 *
 * <p>It has no transaction of its own: all that it does is in the datasource's, so that there is one resource only.
 */
final class TubeManagedConnection implements ManagedConnection {

    private final Queue queue;
    private final List<ConnectionEventListener> listeners = new CopyOnWriteArrayList<>();
    private volatile TubeConnectionHandle handle;
    private volatile PrintWriter logWriter;

    TubeManagedConnection(Queue queue) {
        this.queue = queue;
    }

    @Override
    public Object getConnection(Subject subject, ConnectionRequestInfo info) {
        TubeConnectionHandle fresh = new TubeConnectionHandle(queue, this);
        handle = fresh;
        return fresh;
    }

    void closed(TubeConnectionHandle closed) {
        ConnectionEvent event = new ConnectionEvent(this, ConnectionEvent.CONNECTION_CLOSED);
        event.setConnectionHandle(closed);
        listeners.forEach(listener -> listener.connectionClosed(event));
    }

    @Override
    public void associateConnection(Object connection) throws ResourceException {
        if (!(connection instanceof TubeConnectionHandle moved)) {
            throw new ResourceException("not a connection of TaskTube's: " + connection);
        }
        moved.associate(this);
        handle = moved;
    }

    /** The pool takes it back, whether the application closed its handle or not. */
    @Override
    public void cleanup() {
        TubeConnectionHandle left = handle;
        handle = null;
        if (left != null) {
            left.endSession();
        }
    }

    @Override
    public void destroy() {
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
            return "0.1.0";
        }

        /** No limit of its own; the pool has one. */
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
