package org.tasktube.bench.app;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean with a transaction of its own for each task, and no other work. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Side.TASKTUBE_TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "8")
        })
public class TubeWorker implements TaskListener {

    @Inject
    private Meter meter;

    @Override
    public void onTask(Task task) {
        meter.began();
    }
}
