package org.tasktube.rules;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnectionFactory;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import java.time.Duration;
import javax.sql.DataSource;
import javax.transaction.xa.XAResource;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.node.Node;
import org.tasktube.node.NodeSource;
import org.tasktube.node.Settings;
import org.tasktube.outbound.TubeManagedConnectionFactory;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;

/** An adapter at work, with connections as applications have them. */
final class Server implements AutoCloseable {

    /** No server of a run is to be taken for dead because the machine is busy. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final int MAX_DATA_SIZE = 1 << 20;

    private final RunningNode running;
    private final TubeConnectionFactory connections;

    Server(DataSource database, String node, Duration poll, Duration nodeTimeout, Duration sessionTtr) {
        running = new RunningNode(
                database, Jta.TRANSACTIONS, new Settings(node, MAX_DATA_SIZE, poll, nodeTimeout, sessionTtr));
        running.node().register(new Lifo(Type.LIFO.typeName()));
        TubeManagedConnectionFactory factory = new TubeManagedConnectionFactory();
        factory.setResourceAdapter(new Adapter(running.node()));
        connections = (TubeConnectionFactory) factory.createConnectionFactory(new NoPool());
    }

    TubeConnectionFactory factory() {
        return connections;
    }

    TubeConnection connect() {
        return connections.getConnection();
    }

    Node node() {
        return running.node();
    }

    void kill() {
        running.kill();
    }

    @Override
    public void close() {
        running.close();
    }

    /** What a container has between connection factories and managed connections, less the pool. */
    private static final class NoPool implements ConnectionManager {

        private static final long serialVersionUID = 1;

        @Override
        public Object allocateConnection(ManagedConnectionFactory factory, ConnectionRequestInfo info)
                throws ResourceException {
            return factory.createManagedConnection(null, info).getConnection(null, info);
        }
    }

    /** The resource adapter as connection factories see it. */
    private record Adapter(Node node) implements ResourceAdapter, NodeSource {

        @Override
        public void start(BootstrapContext context) {
            // The queue runs already
        }

        @Override
        public void stop() {
            // The queue is stopped by the server
        }

        @Override
        public void endpointActivation(MessageEndpointFactory factory, ActivationSpec spec) {
            throw new UnsupportedOperationException("no beans here");
        }

        @Override
        public void endpointDeactivation(MessageEndpointFactory factory, ActivationSpec spec) {
            throw new UnsupportedOperationException("no beans here");
        }

        @Override
        public XAResource[] getXAResources(ActivationSpec[] specs) {
            return new XAResource[0];
        }
    }
}
