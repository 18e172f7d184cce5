package org.tasktube.inflow;

/** Why a delivery says nothing about its task, so that the attempt does not count. */
public enum Refusal {

    /** The server let no call in: it suspends, or the bean is being undeployed. */
    NO_BEAN,

    /** The server's pool had no instance of the bean free in time: it is smaller than maxSession. */
    NO_INSTANCE,

    /** The adapter, or its database, was away when the bean, or the ack after it, needed it. */
    ADAPTER_AWAY
}
