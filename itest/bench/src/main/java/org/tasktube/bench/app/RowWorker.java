package org.tasktube.bench.app;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that writes a row of its own in the transaction of each task. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Side.ROW_TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "8")
        })
public class RowWorker implements TaskListener {

    @Inject
    private Meter meter;

    @Inject
    private SmallTable table;

    @Override
    public void onTask(Task task) {
        meter.began();
        table.work(task.id());
    }
}
