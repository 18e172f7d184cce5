package org.tasktube.node;

/** The owner of the node. Connection factories and activations see the resource adapter by this interface. */
public interface NodeSource {

    /** Returns the node of the started adapter. */
    Node node();
}
