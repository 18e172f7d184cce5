package org.tasktube.store.sql;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.tasktube.store.OrderKey;

/**
 * The values of a statement's parameters, by their names. Values without a parameter in the statement are not used,
 * because the databases need different ones for the same statement.
 */
final class Parameters {

    static final Parameters NONE = new Parameters();

    private final Object[] namesAndValues;

    private Parameters(Object... namesAndValues) {
        this.namesAndValues = namesAndValues;
    }

    /** Returns parameters from pairs of a name and a value; a value may be null. */
    static Parameters of(Object... namesAndValues) {
        return new Parameters(namesAndValues);
    }

    /** Returns those of a read of at most so many tasks of a tube after a position. */
    static Parameters after(int tube, OrderKey after, int max) {
        return of("tube", tube, "after_pri", after.pri(), "after_ord", after.ord(), "after_id", after.id(), "max", max);
    }

    /** Returns the value of a duration that may be absent. */
    static Long millis(Optional<Duration> duration) {
        return duration.map(Duration::toMillis).orElse(null);
    }

    /** Returns these parameters and more, which hide the ones of the same name. */
    Parameters and(Object... more) {
        Object[] all = Arrays.copyOf(more, more.length + namesAndValues.length);
        System.arraycopy(namesAndValues, 0, all, more.length, namesAndValues.length);
        return new Parameters(all);
    }

    Parameters and(Parameters more) {
        return more.namesAndValues.length == 0 ? this : and(more.namesAndValues);
    }

    boolean has(String name) {
        return indexOf(name) >= 0;
    }

    /**
     * Returns a value.
     *
     * @throws IllegalArgumentException if no value has that name
     */
    Object get(String name) {
        int index = indexOf(name);
        if (index < 0) {
            throw new IllegalArgumentException(
                    "no value for the parameter " + name + " among " + Arrays.toString(namesAndValues));
        }
        return namesAndValues[index + 1];
    }

    private int indexOf(String name) {
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (namesAndValues[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }
}
