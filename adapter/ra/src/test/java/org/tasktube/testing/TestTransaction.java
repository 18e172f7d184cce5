package org.tasktube.testing;

import java.util.function.Supplier;

/**
 * An open transaction, which the test ends; closing it rolls it back if it has not ended. No thread is in it at its
 * end.
 */
public interface TestTransaction extends AutoCloseable {

    /** Has the thread be in it. */
    void resume();

    /** Takes the thread out of it. */
    void suspend();

    void commit();

    void rollback();

    @Override
    void close();

    /** Does something in it. */
    default <T> T in(Supplier<T> work) {
        resume();
        try {
            return work.get();
        } finally {
            suspend();
        }
    }
}
