package org.tasktube.itest.probe;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** Works on each task by one insert; one that was worked on twice would fail for ever. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Probe.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "4"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "0"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "100ms"),
            @ActivationConfigProperty(propertyName = "maxRetryDelay", propertyValue = "500ms")
        })
public class ProbeBean implements TaskListener {

    @PersistenceContext
    private EntityManager entities;

    @Override
    public void onTask(Task task) {
        entities.persist(new Done(task.text()));
    }
}
