package org.tasktube.itest.beans;

import jakarta.ejb.EJB;
import java.time.Duration;
import org.tasktube.Task;

/**
 * What a bean does whose transaction times out in the first attempt: a row, a put into each kind of tube, and an end
 * as if all was well.
 */
public abstract class TimedOutWork {

    static final String PUT_IN_MEMORY = "reaped-puts-in-memory";
    static final String PUT_STORED = "reaped-puts-stored";

    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(20);

    @EJB
    private Rows rows;

    @EJB
    private Desk desk;

    @EJB
    private Reaped reaped;

    void work(Task task) {
        String text = task.text();
        rows.add(text);
        ReportedLines.add(text, "attempt " + task.attempts());
        if (task.attempts() == 1) {
            ReportedLines.add(text, reaped.within(LONGEST_TIMEOUT) ? "timed out" : "not timed out");
            put(PUT_IN_MEMORY, text);
            put(PUT_STORED, text);
        }
    }

    private void put(String tube, String text) {
        try {
            desk.put(tube, text);
            ReportedLines.add(text, tube + " took it");
        } catch (RuntimeException e) {
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            ReportedLines.add(text, tube + " refused: " + root.getMessage());
        }
    }
}
