package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.EJBException;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that acks in a transaction of its own, which commits or not, and ends as if all was well. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = AckInNew.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "1"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "50ms")
        })
public class AckInNew implements TaskListener {

    static final String TUBE = "ack-in-new";

    @EJB
    private Rows rows;

    @EJB
    private Desk desk;

    @Override
    public void onTask(Task task) {
        String text = task.text();
        rows.add(text);
        ReportedLines.add(text, "attempt " + task.attempts());
        if (text.startsWith("throw")) {
            try {
                desk.ackInNewAndThrow(task);
            } catch (EJBException e) {
                ReportedLines.add(text, "goes on");
            }
        } else if (text.startsWith("mark")) {
            desk.ackInNewAndMark(task);
        } else {
            desk.ackInNew(task);
        }
    }
}
