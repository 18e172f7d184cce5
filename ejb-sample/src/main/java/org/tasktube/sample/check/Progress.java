package org.tasktube.sample.check;

import org.tasktube.sample.store.Totals;

/**
 * How far the check is.
 *
 * @param done pages and files that were visited
 * @param waiting those that will be, the ones that are being visited now included
 * @param buried those that were given up
 * @param perSecond visits a second, from the start to the last one
 */
public record Progress(long done, long waiting, long buried, double perSecond) {

    /** What was given up must have been counted first: a page that is found in between is not finished then. */
    static Progress of(long buried, Totals totals) {
        long open = totals.known() - totals.checked();
        return new Progress(totals.checked(), Math.max(open - buried, 0), buried, totals.perSecond());
    }

    /** Whether no page waits any more. */
    public boolean finished() {
        return waiting == 0;
    }
}
