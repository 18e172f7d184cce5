package org.tasktube.itest.rude;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** Leaves its thread interrupted. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Rude.INTERRUPTS),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "10ms")
        })
public class InterruptBean implements TaskListener {

    @Override
    public void onTask(Task task) {
        Rude.BEGUN.release();
        Thread.currentThread().interrupt();
    }
}
