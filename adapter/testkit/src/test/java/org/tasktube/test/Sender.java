package org.tasktube.test;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** As in the tutorial. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = "letters"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "3"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "1h")
        })
class Sender implements TaskListener {
    @PersistenceContext
    private EntityManager entities;

    @Override
    public void onTask(Task task) {
        Letter letter = entities.find(Letter.class, task.data(Long.class));
        letter.sent = true;
        entities.flush();
        if (!letter.address.contains("@")) {
            throw new IllegalStateException("letter " + letter.id + " has no address: " + letter.address);
        }
    }
}
