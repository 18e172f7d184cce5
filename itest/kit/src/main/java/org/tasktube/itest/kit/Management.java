package org.tasktube.itest.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jboss.as.controller.client.ModelControllerClient;
import org.jboss.as.controller.client.ModelControllerClientConfiguration;
import org.jboss.as.controller.client.Operation;
import org.jboss.as.controller.client.OperationBuilder;
import org.jboss.as.controller.client.helpers.Operations;
import org.jboss.dmr.ModelNode;

/**
 * A connection to the management interface of a running server. The server knows its own user by a file that it can
 * read.
 */
final class Management implements AutoCloseable {

    private static final String DEPLOYMENT = "deployment";

    private final ModelControllerClient client;

    Management(String host, int port, Duration patience) {
        client = ModelControllerClient.Factory.create(new ModelControllerClientConfiguration.Builder()
                .setProtocol("remote+http")
                .setHostName(host)
                .setPort(port)
                .setConnectionTimeout((int) patience.toMillis())
                .build());
    }

    void deploy(String name, Path archive) {
        ModelNode deploy = isDeployed(name)
                ? Operations.createOperation("full-replace-deployment")
                : Operations.createAddOperation(deployment(name));
        deploy.get("name").set(name);
        deploy.get("enabled").set(true);
        deploy.get("content").get(0).get("input-stream-index").set(0);
        execute(OperationBuilder.create(deploy).addFileAsAttachment(archive).build());
    }

    void redeploy(String name) {
        execute(Operations.createOperation("redeploy", deployment(name)));
    }

    void undeploy(String name) {
        execute(Operations.createOperation("undeploy", deployment(name)));
        execute(Operations.createRemoveOperation(deployment(name)));
    }

    private boolean isDeployed(String name) {
        ModelNode names = Operations.createOperation("read-children-names");
        names.get("child-type").set(DEPLOYMENT);
        return execute(names).asList().contains(new ModelNode(name));
    }

    private static ModelNode deployment(String name) {
        return Operations.createAddress(DEPLOYMENT, name);
    }

    ModelNode execute(ModelNode operation) {
        return execute(Operation.Factory.create(operation));
    }

    private ModelNode execute(Operation operation) {
        try {
            ModelNode outcome = client.execute(operation);
            if (!Operations.isSuccessfulOutcome(outcome)) {
                throw new IllegalStateException(
                        Operations.getFailureDescription(outcome).asString());
            }
            return Operations.readResult(outcome);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
