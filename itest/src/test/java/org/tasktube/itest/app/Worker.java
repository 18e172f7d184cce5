package org.tasktube.itest.app;

import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.MessageDrivenContext;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that does what its task says, with a row of its own in the same transaction. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Worker.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "4"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "3"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "100ms"),
            @ActivationConfigProperty(propertyName = "retryMultiplier", propertyValue = "3")
        })
public class Worker implements TaskListener {

    public static final String TUBE = "work";

    @Resource
    private MessageDrivenContext context;

    @EJB
    private Rows rows;

    @EJB
    private Script script;

    @Override
    public void onTask(Task task) throws Exception {
        String text = task.text();
        script.began(text);
        rows.add(text);
        if (text.startsWith("throw")) {
            throw new IllegalStateException("as told: " + text);
        }
        if (text.startsWith("checked")) {
            throw new java.io.IOException("as told: " + text);
        }
        if (text.startsWith("rollback")) {
            context.setRollbackOnly();
        }
        if (text.startsWith("wait")) {
            script.awaitGo(text);
        }
    }
}
