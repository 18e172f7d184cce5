package org.tasktube;

/** There is no schedule of that name. */
public final class ScheduleNotFoundException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public ScheduleNotFoundException(String name) {
        super("there is no schedule '" + name + "'; TaskAdmin.schedules() lists all");
    }
}
