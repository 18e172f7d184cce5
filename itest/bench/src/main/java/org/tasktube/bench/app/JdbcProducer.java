package org.tasktube.bench.app;

import jakarta.ejb.Stateless;
import jakarta.inject.Inject;

/** The same by plain JDBC. */
@Stateless
public class JdbcProducer implements Producer {

    @Inject
    private JdbcTasks tasks;

    @Override
    public void put(byte[] data) {
        tasks.put(data);
    }
}
