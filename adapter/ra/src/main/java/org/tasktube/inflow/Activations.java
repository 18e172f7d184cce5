package org.tasktube.inflow;

import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.resource.spi.work.WorkManager;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.jca.Starter;
import org.tasktube.node.Node;

/**
 * The active beans. A server activates and deactivates the same bean repeatedly: at deployment, suspend, resume, and
 * stop-delivery.
 */
public final class Activations {

    private final Node node;
    private final Container container;
    private final Starter starter;
    private final Map<Key, Active> active = new ConcurrentHashMap<>();

    public Activations(Node node, WorkManager workManager, Container container) {
        this(node, new Starter(workManager), container);
    }

    /** @param starter is ended with this */
    Activations(Node node, Starter starter, Container container) {
        this.node = node;
        this.container = container;
        this.starter = starter;
    }

    private record Key(MessageEndpointFactory endpoints, ActivationSpec spec) {}

    /**
     * A bean's activation.
     *
     * @param end lets nothing new begin
     * @param stop ends the activation, and waits for the deliveries that have begun
     * @param connections the number of database connections that the bean uses at once
     */
    private record Active(Runnable end, Runnable stop, int connections) {}

    /** Begins to deliver tasks or changes to a bean. */
    public void start(MessageEndpointFactory endpoints, ActivationSpec spec) throws ResourceException {
        active.put(new Key(endpoints, spec), started(endpoints, spec));
    }

    /** Shows the administration a bean that was not started, until it is stopped. */
    public void refused(MessageEndpointFactory endpoints, ActivationSpec spec, String bean, String why) {
        stop(endpoints, spec);
        active.put(new Key(endpoints, spec), new Active(() -> {}, node.show(new RefusedBean(bean, why)), 0));
    }

    private Active started(MessageEndpointFactory endpoints, ActivationSpec spec) throws ResourceException {
        if (spec instanceof TaskActivationSpec tasks) {
            DeliveryPolicy policy = DeliveryPolicy.of(tasks);
            TaskActivation activation = new TaskActivation(node, policy, endpoints, starter, container);
            activation.start();
            // The claimer needs one, too
            return new Active(activation::end, activation::stop, policy.maxSession() + 1);
        }
        if (spec instanceof TimerActivationSpec) {
            return new Active(() -> {}, startTimer(endpoints), 0);
        }
        if (spec instanceof ChangeActivationSpec changes) {
            ChangeActivation activation = new ChangeActivation(node, changes.checkedTube(), endpoints, starter);
            activation.start();
            return new Active(activation::end, activation::stop, 0);
        }
        throw new NotSupportedException(
                "TaskTube has no activation of " + spec.getClass().getName());
    }

    private Runnable startTimer(MessageEndpointFactory endpoints) {
        EndpointTimer timer = new EndpointTimer(endpoints, () -> node.use(null));
        node.use(timer);
        return () -> {
            node.use(null);
            timer.end();
        };
    }

    /** Returns the server's name for a bean. */
    public static String nameOf(MessageEndpointFactory endpoints) {
        return TaskActivation.nameOf(endpoints);
    }

    /** Returns the number of database connections that all active beans together use at once. */
    public int connections() {
        return active.values().stream().mapToInt(Active::connections).sum();
    }

    public void stop(MessageEndpointFactory endpoints, ActivationSpec spec) {
        Active stopped = active.remove(new Key(endpoints, spec));
        if (stopped != null) {
            stopped.stop.run();
        }
    }

    /** Ends all activations for good. Waits for all their deliveries at the same time. */
    public void stopAll() {
        active.values().forEach(each -> each.end.run());
        active.keySet().forEach(key -> stop(key.endpoints, key.spec));
        starter.end();
    }
}
