package org.tasktube.queue;

import java.util.List;
import java.util.Optional;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.TubeDefinition;
import org.tasktube.UnsupportedOptionException;

/** What the tasks of a type of tube can have; an option that they cannot have is refused, never ignored. */
record TubeType(String name, boolean hasPri, boolean hasTimes) {

    private static final List<TubeType> TYPES =
            List.of(new TubeType(TubeDefinition.FIFO, false, false), new TubeType(TubeDefinition.FIFOTTL, true, true));

    static TubeType of(String name) {
        return TYPES.stream()
                .filter(type -> type.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no tube type '" + name + "'; there are "
                        + String.join(", ", TYPES.stream().map(TubeType::name).toList())));
    }

    void check(TubeDefinition tube) {
        refuse(tube.name(), "pri", !hasPri && tube.pri() != 0);
        refuseTimes(tube.name(), tube.ttl(), tube.ttr());
        refuse(tube.name(), "delay", !hasTimes && !tube.delay().isZero());
    }

    void check(String tube, PutOptions options) {
        refuse(tube, "pri", !hasPri && options.pri().isPresent());
        refuseTimes(tube, options.ttl(), options.ttr());
        refuse(tube, "delay", !hasTimes && options.delay().isPresent());
    }

    void check(String tube, ReleaseOptions options) {
        refuse(tube, "delay", !hasTimes && options.delay().isPresent());
        refuse(tube, "ttl", !hasTimes && options.ttl().isPresent());
    }

    void checkTtr(String tube) {
        refuse(tube, "ttr", !hasTimes);
    }

    private void refuseTimes(String tube, Optional<?> ttl, Optional<?> ttr) {
        refuse(tube, "ttl", !hasTimes && ttl.isPresent());
        refuse(tube, "ttr", !hasTimes && ttr.isPresent());
    }

    private void refuse(String tube, String option, boolean unsupported) {
        if (unsupported) {
            throw new UnsupportedOptionException(tube, name, option);
        }
    }
}
