package org.tasktube.outbound;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where and when an application got a connection, in words, so that nothing of the application is kept.
 *
 * @param place the method that asked for it, and its caller
 * @param nanoTime by the monotonic clock
 */
record Origin(String place, long nanoTime) {

    private static final StackWalker STACK = StackWalker.getInstance();
    private static final Set<String> OURS = Set.of(Origin.class.getName(), PooledConnectionFactory.class.getName());

    /** Applications often get connections in a helper of theirs; its caller tells more. */
    private static final int FRAMES = 2;

    /** Of a connection that did not come through the connection factory. */
    static Origin unknown() {
        return new Origin("an unknown place", System.nanoTime());
    }

    /** The caller of the connection factory. Walks a few frames only: every connection asks. */
    static Origin here() {
        String place = STACK.walk(frames -> frames.dropWhile(frame -> OURS.contains(frame.getClassName()))
                .limit(FRAMES)
                .map(frame -> frame.getClassName() + "." + frame.getMethodName() + "(" + frame.getFileName() + ":"
                        + frame.getLineNumber() + ")")
                .collect(Collectors.joining(" by ")));
        return new Origin(place, System.nanoTime());
    }

    /** How long ago that was, to the second. */
    Duration age() {
        return Duration.ofNanos(System.nanoTime() - nanoTime).truncatedTo(ChronoUnit.SECONDS);
    }
}
