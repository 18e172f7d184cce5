package org.tasktube.bench.app;

import jakarta.ejb.Stateless;

/** The same by plain JDBC. */
@Stateless
public class JdbcProducer {

    public void put(PlainQueue queue, byte[] data) {
        queue.put(data);
    }
}
