package org.tasktube.inflow;

/** The reasons why a delivery failed independently of its task. The attempt then does not count. */
public enum Refusal {

    /** The server refused the call: it is suspended, or the bean is being undeployed. */
    NO_BEAN,

    /** The server's pool had no free instance of the bean in time: the pool is smaller than maxSession. */
    NO_INSTANCE,

    /** The bean, or the ack after it, needed the adapter or its database, which was unavailable. */
    ADAPTER_AWAY,

    /** The bean got no connection to a database: a pool was exhausted, or its database took no more connections. */
    NO_CONNECTION
}
