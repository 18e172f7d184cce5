package org.tasktube.tube;

import java.util.List;
import java.util.Set;
import org.tasktube.TubeDefinition;
import org.tasktube.spi.TubeDriver;
import org.tasktube.spi.TubeOption;

import static org.tasktube.spi.TubeOption.CAPACITY;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.PRI;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;
import static org.tasktube.spi.TubeOption.UTUBE;

/** The drivers of TaskTube's own types. */
record BuiltInDriver(String type, Set<TubeOption> options) implements TubeDriver {

    static final List<BuiltInDriver> ALL = List.of(
            new BuiltInDriver(TubeDefinition.FIFO, Set.of()),
            new BuiltInDriver(TubeDefinition.FIFOTTL, Set.of(PRI, TTL, TTR, DELAY)),
            new BuiltInDriver(TubeDefinition.LIMFIFOTTL, Set.of(PRI, TTL, TTR, DELAY, CAPACITY)),
            new BuiltInDriver(TubeDefinition.UTUBE, Set.of(UTUBE)),
            new BuiltInDriver(TubeDefinition.UTUBETTL, Set.of(PRI, TTL, TTR, DELAY, UTUBE)));
}
