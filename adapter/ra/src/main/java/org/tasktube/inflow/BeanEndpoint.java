package org.tasktube.inflow;

import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import java.util.List;
import java.util.Optional;
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

    /**
     * Delivers tasks of one tube to the bean, unless one of them has no attempt left. Shows the delivery in the slot.
     */
    DeliveryOutcome deliver(List<Claimed> batch, RunningDeliveries.Slot slot) {
        Optional<Integer> tooMany = batch.stream()
                .map(each -> each.task().attempts())
                .filter(retry::isOver)
                .findFirst();
        if (tooMany.isPresent()) {
            return new DeliveryOutcome.Failed(
                    new Exception("it was taken " + tooMany.get() + " times: each holder died, or its ttr expired"));
        }
        try {
            if (endpoint == null) {
                endpoint = endpoints.createEndpoint(null);
            }
        } catch (Throwable e) {
            return new DeliveryOutcome.NotDelivered(Refusal.NO_BEAN, e);
        }
        slot.begin(batch);
        try {
            return delivery.deliver(
                    endpoint,
                    batch.get(0).tube(),
                    batch.stream().map(Claimed::task).toList());
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
