package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.store.ClaimRange;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoredTube;

/**
 * A claim: the tube, the holder, and the tasks that it may take.
 *
 * @param move the values of the move for the history; null if the history of the tube does not have takes
 * @param forBean true if it is a transaction of its own for a bean, which need not be on the disk when it ends
 */
record Claim(StoredTube tube, Holder holder, long token, ClaimRange range, Parameters move, boolean forBean) {

    /**
     * The tasks that were claimed after a promotion of heads.
     *
     * @param marksLeft true if the promotion has left marks unread and made too few tasks ready
     */
    record Answer(List<ClaimedTask> tasks, boolean marksLeft) {}

    boolean isKept() {
        return move != null;
    }

    /** Returns the claim of fewer tasks. */
    Claim atMost(int max) {
        return new Claim(tube, holder, token, new ClaimRange(range.after(), max, range.maxBytes()), move, forBean);
    }

    Parameters parameters() {
        Parameters parameters = Parameters.of(
                "session", holder.session(),
                "token", token,
                "node", holder.node(),
                "max_bytes", range.maxBytes(),
                "has_most", tube.definition().takeLimits().maxTaken().isPresent(),
                "has_rate", tube.definition().takeLimits().maxRate().isPresent(),
                "need_not_be_on_disk", forBean);
        Parameters all = parameters.and(Parameters.after(tube.id(), range.after(), range.max()));
        return isKept() ? move.and(all) : all;
    }

    /** Reads a row of the columns of a claim. */
    ClaimedTask read(ResultSet row) throws SQLException {
        int pri = row.getInt(2);
        String utube = row.getString(6);
        TaskData data = TaskData.of(row.getString(7), row.getBytes(8));
        Task task = new Task(
                row.getLong(1),
                tube.name(),
                TaskState.TAKEN,
                pri,
                row.getInt(4),
                token,
                Optional.ofNullable(utube),
                HeadersJson.read(row.getString(9)),
                data);
        long ttr = row.getLong(5);
        Optional<Duration> limit = row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(ttr));
        OrderKey key = new OrderKey(pri, row.getLong(3), task.id());
        long wait = row.getLong(10);
        return new ClaimedTask(task, key, limit, row.wasNull() ? ClaimedTask.TAKEN_BEFORE : Math.max(0, wait));
    }

    /** Sorts claimed tasks. Neither database returns changed rows in the order in which it found them. */
    static List<ClaimedTask> inOrder(List<ClaimedTask> claimed) {
        claimed.sort(Comparator.comparing(ClaimedTask::key));
        return claimed;
    }
}
