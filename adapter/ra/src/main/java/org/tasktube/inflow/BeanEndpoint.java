package org.tasktube.inflow;

import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import org.tasktube.inflow.Prefetch.Claimed;

/** The endpoint of one thread. It is created for the thread's first delivery and kept until it is released. */
final class BeanEndpoint {

    private final MessageEndpointFactory endpoints;
    private final Delivery delivery;
    private final RetryPolicy retry;
    private MessageEndpoint endpoint;

    BeanEndpoint(MessageEndpointFactory endpoints, Delivery delivery, RetryPolicy retry) {
        this.endpoints = endpoints;
        this.delivery = delivery;
        this.retry = retry;
    }

    /** Delivers a task to the bean, unless the task has no attempt left. Shows the delivery in the slot. */
    DeliveryOutcome deliver(Claimed claimed, RunningDeliveries.Slot slot) {
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
        slot.begin(claimed);
        try {
            return delivery.deliver(endpoint, claimed.tube(), claimed.task());
        } finally {
            slot.end();
        }
    }

    void release() {
        if (endpoint != null) {
            OutcomeHandler.guarded(endpoint::release);
            endpoint = null;
        }
    }
}
