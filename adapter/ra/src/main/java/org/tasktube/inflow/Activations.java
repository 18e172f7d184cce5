package org.tasktube.inflow;

import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.resource.spi.work.WorkManager;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.queue.Queue;

/**
 * The beans that are fed now. A server activates and deactivates the same bean again and again: at deployment, suspend,
 * resume, stop-delivery.
 */
public final class Activations {

    private final Queue queue;
    private final WorkManager workManager;
    private final Container container;
    private final Map<Key, Runnable> stops = new ConcurrentHashMap<>();

    public Activations(Queue queue, WorkManager workManager, Container container) {
        this.queue = queue;
        this.workManager = workManager;
        this.container = container;
    }

    private record Key(MessageEndpointFactory endpoints, ActivationSpec spec) {}

    /** The policy that a spec stands for, checked although the server may not have called its validate. */
    public static int maxSession(TaskActivationSpec spec) throws ResourceException {
        return DeliveryPolicy.of(spec).maxSession();
    }

    public void start(MessageEndpointFactory endpoints, ActivationSpec spec) throws ResourceException {
        Runnable stop;
        if (spec instanceof TaskActivationSpec tasks) {
            stop = startTasks(endpoints, tasks);
        } else if (spec instanceof TimerActivationSpec) {
            stop = startTimer(endpoints);
        } else if (spec instanceof ChangeActivationSpec changes) {
            ChangeActivation activation = new ChangeActivation(queue, changes.checkedTube(), endpoints);
            activation.start(workManager);
            stop = activation::stop;
        } else {
            throw new NotSupportedException(
                    "TaskTube has no activation of " + spec.getClass().getName());
        }
        stops.put(new Key(endpoints, spec), stop);
    }

    private Runnable startTasks(MessageEndpointFactory endpoints, TaskActivationSpec spec) throws ResourceException {
        Activation activation = new Activation(queue, DeliveryPolicy.of(spec), endpoints, workManager, container);
        activation.start(workManager);
        return activation::stop;
    }

    private Runnable startTimer(MessageEndpointFactory endpoints) {
        EndpointTimer timer = new EndpointTimer(endpoints, () -> queue.use(null));
        queue.use(timer);
        return () -> {
            queue.use(null);
            timer.release();
        };
    }

    public void stop(MessageEndpointFactory endpoints, ActivationSpec spec) {
        Runnable stop = stops.remove(new Key(endpoints, spec));
        if (stop != null) {
            stop.run();
        }
    }

    public void stopAll() {
        stops.keySet().forEach(key -> stop(key.endpoints, key.spec));
    }
}
