package org.tasktube.itest.app;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that works on sub-queues, and reports its begin and its end to the script. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = SubQueueWorker.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "8")
        })
public class SubQueueWorker implements TaskListener {

    public static final String TUBE = "sub-queues";

    @EJB
    private Script script;

    @EJB
    private Rows rows;

    @Override
    public void onTask(Task task) {
        script.enter(task.utube().orElseThrow(), task.text());
        rows.add(task.text());
        script.leave(task.utube().orElseThrow());
    }
}
