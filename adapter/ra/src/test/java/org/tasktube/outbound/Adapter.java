package org.tasktube.outbound;

import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import javax.transaction.xa.XAResource;
import org.tasktube.node.Node;
import org.tasktube.node.NodeSource;

/** The resource adapter as connection factories see it, of a node that runs already. */
record Adapter(Node node) implements ResourceAdapter, NodeSource {

    static TubeManagedConnectionFactory factory(Node node) {
        return factory(new Adapter(node));
    }

    static TubeManagedConnectionFactory factory(Adapter adapter) {
        TubeManagedConnectionFactory factory = new TubeManagedConnectionFactory();
        factory.setResourceAdapter(adapter);
        return factory;
    }

    @Override
    public void start(BootstrapContext context) {
        // The node runs already
    }

    @Override
    public void stop() {
        // The test stops the node
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
