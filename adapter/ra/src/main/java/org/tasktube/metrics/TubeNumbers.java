package org.tasktube.metrics;

import java.util.Locale;
import org.tasktube.TubeEvent;
import org.tasktube.TubeStatistics;

/**
 * A tube's numbers in this server's memory.
 *
 * @param statistics the tasks and the events
 * @param beans the number of active beans of this server that get tasks of the tube
 * @param waiting the number of beans and takes of this server that wait for a task of the tube now
 */
public record TubeNumbers(TubeStatistics statistics, int beans, int waiting) {

    /** Returns the name of a kind of events in the management model. */
    public static String nameOf(TubeEvent event) {
        return event.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
