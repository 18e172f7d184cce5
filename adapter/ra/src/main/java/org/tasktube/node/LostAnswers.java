package org.tasktube.node;

import java.time.Duration;
import org.tasktube.store.sql.OpenStore;

/**
 * The statements whose answers were lost. The database may have made their changes, or may make them while it still
 * runs the statements. So this server reads the tubes and counts the tasks again: as soon as the database answers, if
 * the last count is long enough ago, and once more later.
 */
final class LostAnswers {

    /** The time for which a statement of a lost connection can still run in the database, and commit. */
    static final Duration LATEST = Duration.ofMinutes(1);

    private final MaintenanceQueue queue;
    private final StoreAccess access;
    private final TubeDirectory directory;
    private final Recount recount;
    private volatile boolean lost;

    /** True until the later reading. */
    private boolean laterDue;

    /** Whether answers were lost since the later reading was planned, so that another must follow it. */
    private boolean lostAgain;

    LostAnswers(MaintenanceQueue queue, StoreAccess access, TubeDirectory directory, Recount recount) {
        this.queue = queue;
        this.access = access;
        this.directory = directory;
        this.recount = recount;
    }

    /** Records that a statement failed as if its connection were lost. */
    void add() {
        lost = true;
    }

    /** Reads again if an answer was lost. Called when the database answers. */
    void databaseAnswers() {
        if (lost) {
            queue.execute(this::readNow);
        }
    }

    private void readNow() {
        if (lost && (!laterDue || recount.isRested())) {
            lost = false;
            lostAgain = laterDue;
            read();
            if (!laterDue) {
                laterDue = true;
                queue.executeIn(LATEST, this::readLater);
            }
        }
    }

    private void readLater() {
        laterDue = false;
        lost |= lostAgain;
        if (lost) {
            readNow();
        } else {
            read();
        }
    }

    private void read() {
        OpenStore own = access.own();
        if (own == null) {
            // The store will be opened again, and all of it read
            return;
        }
        boolean done = false;
        try {
            directory.read(own);
            recount.soon();
            done = true;
        } finally {
            // If the connection of this thread was lost, too, the next answer of the database leads here again
            lost |= !done;
        }
    }
}
