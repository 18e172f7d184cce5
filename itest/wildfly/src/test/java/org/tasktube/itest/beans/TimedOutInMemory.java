package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean whose transaction times out, on a temporary tube. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = TimedOutInMemory.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "1"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "50ms")
        })
public class TimedOutInMemory extends TimedOutWork implements TaskListener {

    static final String TUBE = "reaped-in-memory";

    @Override
    public void onTask(Task task) {
        work(task);
    }
}
