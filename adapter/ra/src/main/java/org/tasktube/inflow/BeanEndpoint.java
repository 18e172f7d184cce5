package org.tasktube.inflow;

import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import org.tasktube.inflow.Prefetch.Claimed;

/** The endpoint of one thread. It is created for the thread's first delivery and kept until it is released. */
final class BeanEndpoint {

    private final MessageEndpointFactory endpoints;
    private final Delivery delivery;
    private final RetryPolicy retry;
    private final RunningDeliveries running;
    private MessageEndpoint endpoint;

    BeanEndpoint(MessageEndpointFactory endpoints, Delivery delivery, RetryPolicy retry, RunningDeliveries running) {
        this.endpoints = endpoints;
        this.delivery = delivery;
        this.retry = retry;
        this.running = running;
    }

    /** Delivers a task to the bean, unless the task has no attempt left. */
    DeliveryOutcome deliver(Claimed claimed) {
        int attempts = claimed.task().attempts();
        if (retry.isOver(attempts)) {
            return new DeliveryOutcome.Failed(
                    new Exception("it was taken " + attempts + " times: each holder died, or its ttr expired"));
        }
        try {
            if (endpoint == null) {
                endpoint = endpoints.createEndpoint(null);
            }
        } catch (Throwable e) {
            return new DeliveryOutcome.NotDelivered(Refusal.NO_BEAN, e);
        }
        RunningDeliveries.Running begun = running.begin(claimed);
        try {
            return delivery.deliver(endpoint, claimed.tube(), claimed.task());
        } finally {
            running.end(begun);
        }
    }

    void release() {
        if (endpoint != null) {
            OutcomeHandler.guarded(endpoint::release);
            endpoint = null;
        }
    }
}
