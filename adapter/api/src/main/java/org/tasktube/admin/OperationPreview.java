package org.tasktube.admin;

import java.util.List;
import java.util.Map;

/**
 * The tasks that an act on many tasks would find now.
 *
 * @param size the number of tasks that fit the filter, in states that the act is for. Give it to
 *     {@link TaskAdmin#startOperation}
 * @param matching the number of tasks that fit the filter, in all states
 * @param isMore true if further tasks may fit the filter, because the look has ended at its bound
 * @param looked the number of tasks that were read; 0 if they were only counted
 * @param tubes the numbers of tasks that the act is for, by the names of their tubes
 * @param samples the first tasks that the act is for, at most {@value #MAX_SAMPLES}
 */
public record OperationPreview(
        OperationAct act,
        TaskFilter filter,
        OperationSize size,
        long matching,
        boolean isMore,
        long looked,
        Map<String, Long> tubes,
        List<FoundTask> samples) {

    /** The maximum number of samples. */
    public static final int MAX_SAMPLES = 10;

    /** The number of tasks after which a look ends, although further ones may fit. */
    public static final int MAX_LOOK = 1_000_000;
}
