package org.tasktube.inflow;

import jakarta.resource.spi.UnavailableException;
import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import java.time.Duration;
import org.tasktube.TaskFailure;
import org.tasktube.spi.DeadlineTimer;

/** The deadline timer that is a message-driven bean. */
final class EndpointTimer implements DeadlineTimer {

    private MessageEndpointFactory endpoints;
    private Runnable fallBack;
    private MessageEndpoint endpoint;

    /** The bean's sweep. After the timer's release it does nothing, because the bean may still refer to this object. */
    private volatile Runnable sweep = () -> {};

    EndpointTimer(MessageEndpointFactory endpoints, Runnable fallBack) {
        this.endpoints = endpoints;
        this.fallBack = fallBack;
    }

    @Override
    public synchronized void arm(Duration delay, Runnable whenDue) {
        if (endpoints == null) {
            return;
        }
        sweep = whenDue;
        try {
            if (endpoint == null) {
                endpoint = endpoints.createEndpoint(null);
            }
            ((DeadlineTimer) endpoint).arm(delay, this::sweep);
        } catch (UnavailableException | RuntimeException | Error e) {
            Log.LOG.timerFailed(TaskFailure.summary(e));
            release();
            fallBack.run();
        }
    }

    private void sweep() {
        sweep.run();
    }

    /**
     * Forgets the sweep when the bean is deactivated. The bean's class refers to this object, and a thread of WildFly's
     * EJB timers may refer to that class. Neither may keep a stopped adapter in memory.
     */
    synchronized void end() {
        release();
        endpoints = null;
        fallBack = () -> {};
    }

    synchronized void release() {
        sweep = () -> {};
        MessageEndpoint last = endpoint;
        endpoint = null;
        if (last != null) {
            try {
                last.release();
            } catch (RuntimeException | Error e) {
                Log.LOG.thrown(TaskFailure.summary(e));
            }
        }
    }
}
