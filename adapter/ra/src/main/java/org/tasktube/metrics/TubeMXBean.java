package org.tasktube.metrics;

import java.util.Map;

/**
 * A tube in JMX. The names are those of the management model. The tasks are those of all servers; events, beans and
 * waiting ones are those of this server.
 */
public interface TubeMXBean {

    /** Returns the number of READY tasks. */
    long getReady();

    /** Returns the number of DELAYED tasks. */
    long getDelayed();

    /** Returns the number of TAKEN tasks. */
    long getTaken();

    /** Returns the number of BURIED tasks. */
    long getBuried();

    /** Returns the number of DONE tasks, whose results are kept. */
    long getResults();

    /** Returns the number of all tasks, results included. */
    long getTotal();

    /** Returns the number of tasks that ended on this server since its start: by ack, delete or ttl. */
    long getDone();

    /** Returns the number of events of each kind on this server since its start. */
    Map<String, Long> getCalls();

    /** Returns OPEN, PAUSED or DRAINING. */
    String getMode();

    /** Returns the user or the server that set the mode; an empty text if the tube was always OPEN. */
    String getModeBy();

    /** Returns the time since which the tube has had the mode, in UTC as ISO 8601. */
    String getModeSince();

    /** Returns the reason of the pause or drain; an empty text if the tube is OPEN. */
    String getModeReason();

    /** Returns the number of active beans of this server that get tasks of the tube. */
    int getBeans();

    /** Returns the number of beans and takes of this server that wait for a task of the tube now. */
    int getWaiting();

    /**
     * Returns the time since the put of the oldest READY task; 0 if no task is READY, null if the database cannot be
     * read now. Of all attributes, only this one reads the database.
     */
    Double getOldestReadySeconds();
}
