package org.tasktube.console.rest;

import java.util.function.Supplier;

/** The calls of {@link org.tasktube.admin.TaskAdmin} that its implementation may lack. */
final class Administration {

    private Administration() {}

    /** Returns the answer of a call; the default if the adapter does not have the call. */
    static <T> T orElse(T without, Supplier<T> call) {
        try {
            return call.get();
        } catch (UnsupportedOperationException e) {
            return without;
        }
    }
}
