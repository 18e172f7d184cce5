package org.tasktube.itest.app;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean without transactions. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = PlainWorker.TUBE),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "50ms")
        })
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class PlainWorker implements TaskListener {

    public static final String TUBE = "plain";

    @EJB
    private Script script;

    @Override
    public void onTask(Task task) {
        script.began(task.text());
        if (task.text().startsWith("throw")) {
            throw new IllegalStateException("as asked: " + task.text());
        }
    }
}
