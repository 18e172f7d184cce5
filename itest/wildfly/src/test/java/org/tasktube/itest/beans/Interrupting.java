package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that works, and leaves its thread's interrupt flag set. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Interrupting.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "1"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "50ms")
        })
public class Interrupting implements TaskListener {

    static final String TUBE = "interrupting";

    @EJB
    private Rows rows;

    @Override
    public void onTask(Task task) {
        rows.add(task.text());
        ReportedLines.add(task.text(), "attempt " + task.attempts());
        Thread.currentThread().interrupt();
    }
}
