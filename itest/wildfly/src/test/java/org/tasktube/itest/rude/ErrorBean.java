package org.tasktube.itest.rude;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** Throws an Error of a class of its own. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Rude.ERRORS),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "1")
        })
public class ErrorBean implements TaskListener {

    @Override
    public void onTask(Task task) {
        Rude.BEGUN.release();
        throw new RudeError(task.data(RudeOrder.class).customer());
    }

    private static final class RudeError extends Error {

        private static final long serialVersionUID = 1;

        RudeError(String message) {
            super(message);
        }
    }
}
