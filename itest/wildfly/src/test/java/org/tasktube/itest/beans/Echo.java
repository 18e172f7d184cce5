package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that works: others must not take that from it. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Echo.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "2")
        })
public class Echo implements TaskListener {

    static final String TUBE = "echo";

    @EJB
    private Rows rows;

    @Override
    public void onTask(Task task) {
        rows.add(task.text());
    }
}
