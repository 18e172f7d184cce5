package org.tasktube.store;

import java.time.Duration;
import java.util.List;
import org.tasktube.admin.AuditAct;
import org.tasktube.admin.AuditEntry;
import org.tasktube.admin.AuditQuery;

/**
 * The audit: a row per act of a user. If the store fails, a method throws {@link org.tasktube.StoreException}.
 */
public interface AuditTrail {

    /** Adds a row, in the caller's transaction if it has one. */
    void add(String server, AuditAct act);

    /**
     * Returns at most {@code max} rows with a smaller number, the greatest first. Reads by an index, and locks nothing.
     */
    List<AuditEntry> before(AuditQuery query, long id, int max);

    /**
     * Removes at most {@code max} of the oldest rows, if they are older than the retention. Skips rows that another
     * server removes. Never called in a transaction.
     *
     * @return the number of rows that it found to be too old
     */
    int removeOld(Duration retention, int max);
}
