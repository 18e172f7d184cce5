package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that fails by something six beans below it. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Deep.TUBE),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "1")
        })
public class Deep implements TaskListener {

    static final String TUBE = "deep";

    private static final int BEANS = 6;

    @EJB
    private Desk desk;

    @Override
    public void onTask(Task task) {
        desk.failBelow(BEANS, task.text());
    }
}
