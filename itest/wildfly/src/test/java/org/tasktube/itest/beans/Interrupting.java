package org.tasktube.itest.beans;

import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that works, and leaves its thread's interrupt flag set, or sets it in the commit. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Interrupting.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "1"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "50ms")
        })
public class Interrupting implements TaskListener {

    static final String TUBE = "interrupting";

    @EJB
    private Rows rows;

    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    private TransactionSynchronizationRegistry registry;

    @Override
    public void onTask(Task task) {
        rows.add(task.text());
        ReportedLines.add(task.text(), "attempt " + task.attempts());
        if (task.text().startsWith("in-commit")) {
            registry.registerInterposedSynchronization(new InterruptInCommit());
        } else {
            Thread.currentThread().interrupt();
        }
    }

    private static final class InterruptInCommit implements Synchronization {

        @Override
        public void beforeCompletion() {
            Thread.currentThread().interrupt();
        }

        @Override
        public void afterCompletion(int status) {
            // The commit has met it
        }
    }
}
