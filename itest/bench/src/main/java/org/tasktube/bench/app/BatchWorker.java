package org.tasktube.bench.app;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import java.util.List;
import org.tasktube.Task;
import org.tasktube.TaskBatchListener;

/** A bean with a transaction for up to 64 tasks, and no other work. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Side.BATCH_TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "8"),
            @ActivationConfigProperty(propertyName = "batchSize", propertyValue = "64")
        })
public class BatchWorker implements TaskBatchListener {

    @Inject
    private Meter meter;

    @Override
    public void onTasks(List<Task> tasks) {
        tasks.forEach(task -> meter.began());
    }
}
