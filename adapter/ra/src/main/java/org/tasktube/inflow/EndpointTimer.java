package org.tasktube.inflow;

import jakarta.resource.spi.UnavailableException;
import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import java.time.Duration;
import org.tasktube.spi.DeadlineTimer;

/** The deadline timer that is a message-driven bean. */
final class EndpointTimer implements DeadlineTimer {

    private final MessageEndpointFactory endpoints;
    private final Runnable fallBack;
    private MessageEndpoint endpoint;

    EndpointTimer(MessageEndpointFactory endpoints, Runnable fallBack) {
        this.endpoints = endpoints;
        this.fallBack = fallBack;
    }

    @Override
    public synchronized void arm(Duration delay) {
        try {
            if (endpoint == null) {
                endpoint = endpoints.createEndpoint(null);
            }
            ((DeadlineTimer) endpoint).arm(delay);
        } catch (UnavailableException | RuntimeException e) {
            Log.LOG.timerFailed(e.toString());
            release();
            fallBack.run();
        }
    }

    synchronized void release() {
        if (endpoint != null) {
            endpoint.release();
            endpoint = null;
        }
    }
}
