package org.tasktube.outbound;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The place and time at which an application got a connection. The place is text, so that nothing of the application
 * stays in memory.
 *
 * @param place the method that asked for the connection, and its caller
 * @param nanoTime the time of the monotonic clock
 */
record Origin(String place, long nanoTime) {

    private static final StackWalker STACK = StackWalker.getInstance();

    /** Applications often get connections in a helper of theirs, whose caller says more. */
    private static final int FRAMES = 2;

    /** Returns the origin of a connection that did not come through the connection factory. */
    static Origin unknown() {
        return new Origin("an unknown place", System.nanoTime());
    }

    /**
     * Returns the caller of the connection factory. Walks a few frames only, and reads no line numbers, because it runs
     * for each connection.
     *
     * @param factory the class that calls this, and that an application calls
     */
    static Origin callerOf(Class<?> factory) {
        Set<String> ours = Set.of(Origin.class.getName(), factory.getName());
        String place = STACK.walk(frames -> frames.dropWhile(frame -> ours.contains(frame.getClassName()))
                .limit(FRAMES)
                .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                .collect(Collectors.joining(" by ")));
        return new Origin(place, System.nanoTime());
    }

    /** Returns how long ago that was, to the second. */
    Duration age() {
        return Duration.ofNanos(System.nanoTime() - nanoTime).truncatedTo(ChronoUnit.SECONDS);
    }
}
