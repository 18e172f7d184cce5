package org.tasktube.itest.app;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import org.tasktube.TaskChange;
import org.tasktube.TaskChangeListener;

/** A bean that is notified of the changes of a tube, and writes them into the application's table. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = ChangeRecorder.TUBE))
public class ChangeRecorder implements TaskChangeListener {

    public static final String TUBE = "listened";

    @EJB
    private Rows rows;

    @Override
    public void onTaskChange(TaskChange change) {
        String text = change.task().map(task -> task.text()).orElse("");
        rows.add(change.event() + " " + text);
        if (text.startsWith("throw")) {
            throw new IllegalStateException("as asked: " + text);
        }
    }
}
