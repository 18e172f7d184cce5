package org.tasktube.sample.check;

import org.tasktube.sample.store.Totals;

/**
 * The progress of the check.
 *
 * @param done the number of visited pages and files
 * @param waiting the number of pages and files to be visited, current visits included
 * @param buried the number of pages and files that were given up
 * @param perSecond the visits per second, from the start to the last one
 */
public record Progress(long done, long waiting, long buried, double perSecond) {

    /**
     * Returns the progress. Count the buried tasks before the totals: a page that is found in between then counts as
     * waiting.
     */
    static Progress of(long buried, Totals totals) {
        long open = totals.known() - totals.checked();
        return new Progress(totals.checked(), Math.max(open - buried, 0), buried, totals.perSecond());
    }

    /** Returns whether no page is waiting. */
    public boolean finished() {
        return waiting == 0;
    }
}
