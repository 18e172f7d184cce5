package org.tasktube.admin;

import java.util.Optional;

/**
 * Administration of all tubes of the adapter, beside the work of applications. Get it by
 * {@code connection.unwrap(TaskAdmin.class)}. It works while that connection is open.
 */
public interface TaskAdmin {

    /** The maximum number of tasks per page. */
    int MAX_PAGE = 500;

    /**
     * Returns one page of the tasks that fit a filter. In a JTA transaction, the search sees the transaction's own
     * changes. It locks nothing.
     *
     * <p>A filter with {@code id} or {@code key} reads only these tasks. A filter with {@code tube} or {@code state}
     * reads the tasks of these tubes and states, by an index. They come by tube, by state, and in the order of take.
     * Any other filter reads all tasks, the newest first, and those of temporary tubes last. Temporary tubes show the
     * tasks of this server only.
     *
     * <p>One call reads a bounded number of tasks. If few of them fit, the page may have fewer tasks than the limit, or
     * none, although more tasks follow. {@link TaskPage#next()} says whether to go on.
     *
     * @param from where to go on: {@link TaskPage#next()} of the page before; empty for the first page
     * @param limit the maximum number of tasks, from 1 to {@value #MAX_PAGE}
     * @throws IllegalArgumentException if the limit is out of its bounds, or {@code from} belongs to no page
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    TaskPage search(TaskFilter filter, Optional<String> from, int limit);
}
