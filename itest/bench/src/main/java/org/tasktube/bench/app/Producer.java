package org.tasktube.bench.app;

import jakarta.ejb.Local;

/** Puts a task in a transaction of its own. */
@Local
public interface Producer {

    void put(byte[] data);
}
