package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import java.time.Duration;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that works for longer than another bean's transactions may, which is no business of its own. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = ServerTimeout.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "1"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "10ms")
        })
public class ServerTimeout implements TaskListener {

    static final String TUBE = "server-timeout";

    private static final Duration WORK = Duration.ofSeconds(3);

    @EJB
    private Rows rows;

    @EJB
    private Reaped reaped;

    @Override
    public void onTask(Task task) {
        String text = task.text();
        rows.add(text);
        Notes.add(text, "attempt " + task.attempts());
        boolean timedOut = task.attempts() == 1 && reaped.within(WORK);
        Notes.add(text, timedOut ? "timed out" : "in time");
    }
}
