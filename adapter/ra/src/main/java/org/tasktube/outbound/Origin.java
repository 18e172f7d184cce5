package org.tasktube.outbound;

import java.lang.StackWalker.StackFrame;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.Set;

/**
 * The place and time at which an application got a connection. The place is text, so that nothing of the application
 * stays in memory.
 *
 * @param place the method that asked for the connection, and its caller; or only its class
 * @param nanoTime the time of the monotonic clock
 */
record Origin(String place, long nanoTime) {

    private static final String UNKNOWN = "an unknown place";

    /** The frames that are read: this class, the factory, the caller, and the caller's caller. */
    private static final StackWalker STACK = StackWalker.getInstance(Set.of(), 4);

    /** Returns the origin of a connection that did not come through the connection factory. */
    static Origin unknown() {
        return new Origin(UNKNOWN, System.nanoTime());
    }

    /** Returns a class as the place, which costs less than its method. */
    static Origin in(Class<?> type) {
        return new Origin(type.getName(), System.nanoTime());
    }

    /**
     * Returns the caller of the connection factory. Walks a few frames only, and reads no line numbers, because it may
     * run for each connection.
     *
     * @param factory the class that calls this, and that an application calls
     */
    static Origin callerOf(Class<?> factory) {
        return new Origin(STACK.walk(frames -> place(frames.iterator(), factory)), System.nanoTime());
    }

    /** Applications often get connections in a helper of theirs, whose caller says more. */
    private static String place(Iterator<StackFrame> frames, Class<?> factory) {
        while (frames.hasNext()) {
            StackFrame caller = frames.next();
            if (!isOf(Origin.class, caller) && !isOf(factory, caller)) {
                return frames.hasNext() ? name(caller) + " by " + name(frames.next()) : name(caller);
            }
        }
        return UNKNOWN;
    }

    private static boolean isOf(Class<?> type, StackFrame frame) {
        return frame.getClassName().equals(type.getName());
    }

    private static String name(StackFrame frame) {
        return frame.getClassName() + "." + frame.getMethodName();
    }

    /** Returns how long ago that was, to the second. */
    Duration age() {
        return Duration.ofNanos(System.nanoTime() - nanoTime).truncatedTo(ChronoUnit.SECONDS);
    }
}
