package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that works for longer than another bean's transactions may, which is no business of its own. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = ServerTimeout.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "1"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "10ms")
        })
public class ServerTimeout extends LongWork implements TaskListener {

    static final String TUBE = "server-timeout";

    @Override
    public void onTask(Task task) {
        work(task);
    }
}
