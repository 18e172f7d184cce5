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
 * The beans that are fed now. A server activates and deactivates the same bean again and again: at deployment, suspend,
 * resume, stop-delivery.
 */
public final class Activations {

    private final Node node;
    private final Container container;
    private final Starter starter;
    private final Map<Key, Active> active = new ConcurrentHashMap<>();

    public Activations(Node node, WorkManager workManager, Container container) {
        this.node = node;
        this.container = container;
        this.starter = new Starter(workManager);
    }

    private record Key(MessageEndpointFactory endpoints, ActivationSpec spec) {}

    /**
     * A bean's activation.
     *
     * @param end has nothing new begin
     * @param stop ends, and waits for what has begun
     * @param connections how many connections to the database it uses at once
     */
    private record Active(Runnable end, Runnable stop, int connections) {}

    /**
     * Feeds a bean from now on.
     *
     * @throws ResourceException naming each property that is missing, unreadable or out of its bounds
     */
    public void start(MessageEndpointFactory endpoints, ActivationSpec spec) throws ResourceException {
        active.put(new Key(endpoints, spec), started(endpoints, spec));
    }

    private Active started(MessageEndpointFactory endpoints, ActivationSpec spec) throws ResourceException {
        if (spec instanceof TaskActivationSpec tasks) {
            DeliveryPolicy policy = DeliveryPolicy.of(tasks);
            TaskActivation activation = new TaskActivation(node, policy, endpoints, starter, container);
            activation.start();
            // One for the claimer besides
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

    /** Returns how a server calls a bean. */
    public static String nameOf(MessageEndpointFactory endpoints) {
        return TaskActivation.nameOf(endpoints);
    }

    /** Returns how many connections to the database all active beans together use at once. */
    public int connections() {
        return active.values().stream().mapToInt(Active::connections).sum();
    }

    public void stop(MessageEndpointFactory endpoints, ActivationSpec spec) {
        Active stopped = active.remove(new Key(endpoints, spec));
        if (stopped != null) {
            stopped.stop.run();
        }
    }

    /** Stops feeding all beans, for good. What they have begun is waited for together. */
    public void stopAll() {
        active.values().forEach(each -> each.end.run());
        active.keySet().forEach(key -> stop(key.endpoints, key.spec));
        starter.end();
    }
}
