package org.tasktube.itest.orders;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** Ships orders: a row in one database, and the ack in the other. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Desk.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "4"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "0"),
        })
public class Shipping implements TaskListener {

    @Inject
    private Rows rows;

    @Override
    public void onTask(Task task) {
        rows.shipped(Long.parseLong(task.text()));
    }
}
