package org.tasktube.rules;

import java.util.Locale;
import java.util.Set;
import org.tasktube.TubeDefinition;
import org.tasktube.spi.TubeOption;

import static org.tasktube.spi.TubeOption.CAPACITY;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.PRI;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;
import static org.tasktube.spi.TubeOption.UTUBE;

/** The types of tubes with their options, and one of a driver of the tests. */
enum Type {
    FIFO,
    FIFOTTL(PRI, TTL, TTR, DELAY),
    LIMFIFOTTL(PRI, TTL, TTR, DELAY, CAPACITY),
    UTUBE_TYPE(UTUBE),
    UTUBETTL(PRI, TTL, TTR, DELAY, UTUBE),
    LIFO(PRI, TTL, TTR, DELAY);

    /** Enough for all that a rule puts that is not about the capacity. */
    private static final int ROOMY = 1_000;

    @SuppressWarnings("ImmutableEnumChecker") // it is immutable; its type does not say so
    private final Set<TubeOption> options;

    Type(TubeOption... options) {
        this.options = Set.of(options);
    }

    String typeName() {
        return this == UTUBE_TYPE ? TubeDefinition.UTUBE : name().toLowerCase(Locale.ROOT);
    }

    boolean has(TubeOption option) {
        return options.contains(option);
    }

    TubeDefinition define(String name) {
        TubeDefinition plain = TubeDefinition.of(name, typeName());
        return has(CAPACITY) ? plain.capacity(ROOMY) : plain;
    }

    @Override
    public String toString() {
        return typeName();
    }
}
