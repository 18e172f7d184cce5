package org.tasktube.itest.rude;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import org.tasktube.TaskChange;
import org.tasktube.TaskChangeListener;

/** Throws an Error at each change. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = Rude.LEAKS))
public class ErrorListenerBean implements TaskChangeListener {

    @Override
    public void onTaskChange(TaskChange change) {
        throw new AssertionError("at " + change.event());
    }
}
