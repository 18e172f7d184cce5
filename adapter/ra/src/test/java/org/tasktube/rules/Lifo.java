package org.tasktube.rules;

import java.util.Set;
import org.tasktube.PutOptions;
import org.tasktube.TaskData;
import org.tasktube.spi.Position;
import org.tasktube.spi.TubeDriver;
import org.tasktube.spi.TubeOption;

import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.PRI;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;

/** The worked example of a driver: a tube whose newest task is taken first, by pri and with times. */
record Lifo(String type) implements TubeDriver {

    @Override
    public Set<TubeOption> options() {
        return Set.of(PRI, TTL, TTR, DELAY);
    }

    @Override
    public Position position(TaskData data, PutOptions options) {
        return Position.first();
    }
}
