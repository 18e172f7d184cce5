package org.tasktube.tube;

import java.util.Set;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.TaskData;
import org.tasktube.TubeDefinition;
import org.tasktube.UnsupportedOptionException;
import org.tasktube.spi.Position;
import org.tasktube.spi.TubeDriver;
import org.tasktube.spi.TubeOption;

import static org.tasktube.spi.TubeOption.CAPACITY;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.PRI;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;
import static org.tasktube.spi.TubeOption.UTUBE;

/**
 * A type of tubes by its driver: the options of its tasks, and their order. Other options are refused, never ignored.
 */
public record TubeType(TubeDriver driver, String name, Set<TubeOption> options) {

    /** Asks a driver once for its type, and checks its answers. */
    static TubeType of(TubeDriver driver) {
        String name = answered(driver, "type", driver.type());
        TubeDefinition.checkName(name);
        return new TubeType(driver, name, Set.copyOf(answered(driver, "options", driver.options())));
    }

    private static <T> T answered(TubeDriver driver, String question, T answer) {
        if (answer == null) {
            throw new IllegalArgumentException(
                    "driver " + driver.getClass().getName() + " returns null from " + question + "(); fix the driver");
        }
        return answer;
    }

    public boolean has(TubeOption option) {
        return options.contains(option);
    }

    /** Returns whether deadlines can change tasks of this type. */
    boolean hasTimes() {
        return has(TTL) || has(TTR) || has(DELAY);
    }

    public void check(TubeDefinition tube) {
        check(tube.name(), PRI, tube.pri() != 0);
        check(tube.name(), TTL, tube.ttl().isPresent());
        check(tube.name(), TTR, tube.ttr().isPresent());
        check(tube.name(), DELAY, !tube.delay().isZero());
        check(tube.name(), CAPACITY, tube.capacity().isPresent());
        check(
                tube.name(),
                UTUBE,
                "strict order of sub-queues",
                tube.takeLimits().strictOrder());
        if (has(CAPACITY) && tube.capacity().isEmpty()) {
            throw new IllegalArgumentException(
                    "tube '" + tube.name() + "' is of type " + name + ", which needs a capacity; set one");
        }
    }

    void check(String tube, PutOptions options) {
        check(tube, PRI, options.pri().isPresent());
        check(tube, TTL, options.ttl().isPresent());
        check(tube, TTR, options.ttr().isPresent());
        check(tube, DELAY, options.delay().isPresent());
        check(tube, UTUBE, options.utube().isPresent());
    }

    void check(String tube, ReleaseOptions options) {
        check(tube, DELAY, options.delay().isPresent());
        check(tube, TTL, options.ttl().isPresent());
    }

    void check(String tube, TubeOption option, boolean used) {
        check(tube, option, option.option(), used);
    }

    private void check(String tube, TubeOption option, String what, boolean used) {
        if (used && !has(option)) {
            throw new UnsupportedOptionException(tube, name, what);
        }
    }

    Position position(String tube, TaskData data, PutOptions options) {
        Position position = driver.position(data, options);
        if (position == null) {
            throw new IllegalStateException("the driver of type " + name + " gives no position for a task of tube '"
                    + tube + "'; nothing was put, fix the driver");
        }
        return position;
    }
}
