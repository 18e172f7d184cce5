package org.tasktube.inflow;

import java.util.List;
import org.tasktube.Task;

/** The result of one delivery. */
sealed interface DeliveryOutcome {

    /** Returns whether the bean, and its transaction, have succeeded. */
    default boolean isDone() {
        return this instanceof Acked || this instanceof ToAck;
    }

    /** The delivery succeeded: each task is gone, or in the state that the bean chose. */
    record Acked() implements DeliveryOutcome {}

    /**
     * The delivery succeeded, and there was no transaction, or nothing to commit in it. These tasks are to be acked, each
     * that is still held.
     */
    record ToAck(List<Task> tasks, boolean gathered) implements DeliveryOutcome {}

    /** The attempt counts: the bean, or its transaction, failed. */
    record Failed(Throwable why) implements DeliveryOutcome {}

    /** The attempt does not count: the server or the adapter is the reason. */
    record NotDelivered(Refusal refusal, Throwable why) implements DeliveryOutcome {}

    /** A task belonged to another delivery, or was gone, when the bean returned. The bean's work was rolled back. */
    record Lost(String why) implements DeliveryOutcome {}
}
