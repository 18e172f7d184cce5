package org.tasktube.itest.beans;

import jakarta.ejb.EJB;
import java.time.Duration;
import org.tasktube.Task;

/** A bean that adds a row and works in its first attempt until its transaction times out, for a few seconds at most. */
public abstract class LongWork {

    private static final Duration WORK = Duration.ofSeconds(3);

    @EJB
    private Rows rows;

    @EJB
    private Reaped reaped;

    void work(Task task) {
        String text = task.text();
        rows.add(text);
        ReportedLines.add(text, "attempt " + task.attempts());
        boolean timedOut = task.attempts() == 1 && reaped.within(WORK);
        ReportedLines.add(text, timedOut ? "timed out" : "in time");
    }
}
