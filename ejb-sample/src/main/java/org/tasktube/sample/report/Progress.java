package org.tasktube.sample.report;

import org.tasktube.TubeStatistics;
import org.tasktube.sample.store.Totals;

/**
 * How far the check is.
 *
 * @param done pages and files that were visited
 * @param waiting those that will be, the ones that are being visited now included
 * @param buried those that were given up
 * @param perSecond visits a second, from the start to the last one
 */
public record Progress(long done, long waiting, long buried, double perSecond, boolean finished) {

    static Progress of(Totals totals, TubeStatistics tube) {
        long open = totals.known() - totals.checked();
        boolean idle = tube.ready() + tube.delayed() + tube.taken() == 0;
        return new Progress(
                totals.checked(),
                Math.max(open - tube.buried(), 0),
                tube.buried(),
                totals.perSecond(),
                // the tube's numbers and the pages' are not of the very same moment, so both must agree
                idle && open == tube.buried());
    }
}
