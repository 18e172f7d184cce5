package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean whose exceptions cannot be asked for anything. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Speechless.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "10ms")
        })
public class Speechless implements TaskListener {

    static final String TUBE = "speechless";

    @Override
    public void onTask(Task task) throws Exception {
        ReportedLines.add(task.text(), "attempt " + task.attempts());
        if (task.text().startsWith("checked")) {
            throw new CheckedOne();
        }
        if (task.text().startsWith("unchecked")) {
            throw new UncheckedOne();
        }
    }

    private static final class CheckedOne extends Exception {

        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message of a checked exception");
        }
    }

    private static final class UncheckedOne extends RuntimeException {

        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message of an unchecked exception");
        }
    }
}
