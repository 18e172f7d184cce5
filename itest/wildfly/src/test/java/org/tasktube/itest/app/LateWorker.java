package org.tasktube.itest.app;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean whose tube does not exist when it is deployed. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "late"))
public class LateWorker implements TaskListener {

    @EJB
    private Script script;

    @Override
    public void onTask(Task task) {
        script.began(task.text());
    }
}
