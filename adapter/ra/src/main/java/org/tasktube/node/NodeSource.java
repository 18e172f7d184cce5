package org.tasktube.node;

/** What has the queue; connection factories and activations see the resource adapter as this. */
public interface NodeSource {

    /** The queue of the started adapter. */
    Node node();
}
