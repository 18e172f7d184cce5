package org.tasktube.store;

import java.util.Optional;
import java.util.function.Supplier;

/** The user in whose name the calls of this thread move tasks. Histories keep the name. */
public final class InName {

    private static final ThreadLocal<String> ON_THIS_THREAD = new ThreadLocal<>();

    private InName() {}

    /** Runs calls of this thread in the name of a user. */
    public static <T> T of(String by, Supplier<T> calls) {
        String before = ON_THIS_THREAD.get();
        ON_THIS_THREAD.set(by);
        try {
            return calls.get();
        } finally {
            if (before == null) {
                ON_THIS_THREAD.remove();
            } else {
                ON_THIS_THREAD.set(before);
            }
        }
    }

    /** Returns the name for this thread's calls. */
    public static Optional<String> present() {
        return Optional.ofNullable(ON_THIS_THREAD.get());
    }
}
