package org.tasktube.store;

import java.time.Duration;
import org.tasktube.TubeInUseException;

/**
 * The refusals to drop a tube. They are a class of their own because a class that throws an exception of the API loads
 * it. The dialects of the databases must load without the API: an administrator prints the tables by this jar alone.
 */
public final class InUse {

    private InUse() {}

    /** The words are tarantool/queue's. */
    public static RuntimeException byTaken(String tube) {
        return new TubeInUseException(
                "There are taken tasks in the tube '" + tube + "'; ack or release them, then drop it");
    }

    public static RuntimeException byPuts(String tube, Duration patience) {
        return new TubeInUseException("tube '" + tube
                + "' was not dropped: a transaction that has put tasks into it, or drops it, did not end within "
                + patience.toMillis() + " ms; end that transaction, then drop the tube again");
    }

    public static RuntimeException byTakes(String tube, Duration patience) {
        return new TubeInUseException("tube '" + tube + "' was not dropped: a take from its sub-queues did not end"
                + " within " + patience.toMillis() + " ms; drop the tube again");
    }
}
