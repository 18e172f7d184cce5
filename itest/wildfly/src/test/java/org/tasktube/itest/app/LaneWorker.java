package org.tasktube.itest.app;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that works on sub-queues, and says so to the script at the begin and at the end. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = LaneWorker.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "8")
        })
public class LaneWorker implements TaskListener {

    public static final String TUBE = "lanes";

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
