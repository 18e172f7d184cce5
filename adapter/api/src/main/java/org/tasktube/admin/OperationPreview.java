package org.tasktube.admin;

import java.util.List;
import java.util.Map;

/**
 * The tasks that an act on many tasks would find now.
 *
 * @param count the number of tasks that fit the filter, in all states. It is exact unless {@code isMore}
 * @param isMore true if the look has ended at its bound, so that further tasks may fit
 * @param fits the number of these tasks that the act is for
 * @param looked the number of tasks that were read
 * @param tubes the numbers of fitting tasks by the names of their tubes
 * @param samples the first tasks that the act is for, at most {@value #MAX_SAMPLES}
 * @param leftOut the names of temporary tubes that the filter names or allows. The act leaves them out, because each
 *     server has its own tasks of them in memory
 */
public record OperationPreview(
        OperationAct act,
        TaskFilter filter,
        long count,
        boolean isMore,
        long fits,
        long looked,
        Map<String, Long> tubes,
        List<FoundTask> samples,
        List<String> leftOut) {

    /** The maximum number of samples. */
    public static final int MAX_SAMPLES = 10;

    /** The number of tasks after which a look ends, although further ones may fit. */
    public static final int MAX_LOOK = 1_000_000;
}
