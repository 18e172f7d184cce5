package org.tasktube.store;

import java.time.Duration;
import java.util.Optional;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.spi.Position;

/**
 * A task to be put. Times count from the moment of the insert, by the store's clock.
 *
 * @param state READY or DELAYED
 * @param position where it goes among those of its pri
 * @param untilEvent when the next thing happens to it by itself
 * @param untilExpiry when its life is over
 * @param uniqueKey what no other task of the tube that is not DONE may have
 */
public record NewTask(
        TaskState state,
        int pri,
        Position position,
        Optional<Duration> untilEvent,
        Optional<Duration> untilExpiry,
        Optional<Duration> ttr,
        Optional<String> utube,
        Optional<String> uniqueKey,
        TaskData data) {

    /** Whether it needs nothing but its place at the end of a tube. */
    public boolean isPlain() {
        return position.end() == Position.End.LAST && utube.isEmpty() && uniqueKey.isEmpty();
    }
}
