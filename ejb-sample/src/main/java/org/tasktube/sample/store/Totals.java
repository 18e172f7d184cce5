package org.tasktube.sample.store;

import java.time.Duration;
import java.time.Instant;

/**
 * The numbers of all pages.
 *
 * @param known the number of pages and files that were found
 * @param checked the number of visited ones
 * @param first the time of the first find; null without one
 * @param last the time of the last visit; null without one
 */
public record Totals(long known, long checked, Instant first, Instant last) {

    /** Returns the time from the first find to the last visit. */
    public Duration time() {
        return last == null ? Duration.ZERO : Duration.between(first, last);
    }

    public double perSecond() {
        long millis = time().toMillis();
        return millis <= 0 ? 0 : checked * 1000.0 / millis;
    }
}
