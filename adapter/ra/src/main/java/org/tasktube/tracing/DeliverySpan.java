package org.tasktube.tracing;

import java.util.Optional;

/** The span of one delivery, from before the bean's transaction to after its end. */
public interface DeliverySpan {

    /** The span of a delivery that is not traced. */
    DeliverySpan NONE = (result, failure) -> {};

    /** The result of a delivery, as the span has it. */
    enum Result {
        /** The task is gone, or in the state that the bean chose. */
        ACKED,
        /** The bean or its transaction failed, and the attempt counts. */
        FAILED,
        /** The server or the adapter is the reason, and the attempt does not count. */
        NOT_DELIVERED,
        /** The task had another holder, or was gone, when the bean returned. */
        LOST
    }

    /**
     * Ends the span. The thread has no current span afterwards.
     *
     * @param failure the reason; empty if the task is acked or lost
     */
    void end(Result result, Optional<Throwable> failure);
}
