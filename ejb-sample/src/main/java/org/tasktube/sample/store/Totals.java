package org.tasktube.sample.store;

import java.time.Duration;
import java.time.Instant;

/**
 * All pages in numbers.
 *
 * @param known pages and files that were found
 * @param checked those of them that were visited
 * @param first when the first one was found, null if none was
 * @param last when the last one was visited, null if none was
 */
public record Totals(long known, long checked, Instant first, Instant last) {

    /** From the first find to the last visit. */
    public Duration time() {
        return last == null ? Duration.ZERO : Duration.between(first, last);
    }

    public double perSecond() {
        long millis = time().toMillis();
        return millis <= 0 ? 0 : checked * 1000.0 / millis;
    }
}
