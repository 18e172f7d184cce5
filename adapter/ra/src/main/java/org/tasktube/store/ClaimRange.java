package org.tasktube.store;

/**
 * The tasks that one claim may take: at most {@code max} of those after a position.
 *
 * @param maxBytes the bytes of data and headers after which the claim takes no more, because the server must have
 *     memory for all of them. It takes the first task of any size
 */
public record ClaimRange(OrderKey after, int max, long maxBytes) {

    /** Returns a range without a bound of bytes. */
    public static ClaimRange of(OrderKey after, int max) {
        return new ClaimRange(after, max, Long.MAX_VALUE);
    }
}
