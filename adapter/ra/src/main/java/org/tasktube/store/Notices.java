package org.tasktube.store;

import java.time.Duration;
import java.util.List;

/**
 * Short texts between the servers of one database, without a row. A text reaches all servers that listen, the sender
 * included, within milliseconds, or it is lost: between two servers can be a pool that drops it.
 */
public interface Notices {

    /** The longest text, in bytes. */
    int MOST_BYTES = 7_000;

    /** Sends a text in a transaction of its own, whose commit does not wait for the disk. */
    void send(String text);

    /**
     * Listens on a connection of its own, until that is closed.
     *
     * @param answer the longest wait for an answer of the database
     * @throws org.tasktube.StoreException if there is no connection, or its driver has no notifications
     */
    Listening listen(Duration answer);

    /** A connection that listens. Belongs to one thread. */
    interface Listening extends AutoCloseable {

        /**
         * Waits for texts. Returns those that have come; none after the time limit. Sends nothing.
         *
         * @throws org.tasktube.StoreException if the connection has broken
         */
        List<String> await(Duration timeout);

        @Override
        void close();
    }
}
