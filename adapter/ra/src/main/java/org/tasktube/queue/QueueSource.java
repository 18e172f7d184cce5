package org.tasktube.queue;

/** What has the queue; connection factories and activations see the resource adapter as this. */
public interface QueueSource {

    /** The queue of the started adapter. */
    Queue queue();
}
