package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean whose transactions have a second, which it overdraws in its first attempt. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = OwnTimeout.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "1"),
            @ActivationConfigProperty(propertyName = "transactionTimeout", propertyValue = "1s"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "10ms")
        })
public class OwnTimeout extends LongWork implements TaskListener {

    static final String TUBE = "own-timeout";

    @Override
    public void onTask(Task task) {
        work(task);
    }
}
