package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import java.util.List;
import org.tasktube.Task;
import org.tasktube.TaskBatchListener;

/** A bean that gets batches, writes a row per task, and fails on tasks that do not come alone if their text says so. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Batched.TUBE),
            @ActivationConfigProperty(propertyName = "batchSize", propertyValue = "10"),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "1")
        })
public class Batched implements TaskBatchListener {

    static final String TUBE = "batched";

    @EJB
    private Rows rows;

    @Override
    public void onTasks(List<Task> tasks) {
        String text = tasks.get(0).text();
        ReportedLines.add(text, tasks.size() + " tasks");
        tasks.forEach(task -> rows.add(task.text()));
        if (tasks.size() > 1 && text.startsWith("alone")) {
            throw new IllegalStateException("a batch of " + tasks.size());
        }
    }
}
