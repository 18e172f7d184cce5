package org.tasktube.itest.app;

import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.MessageDrivenContext;
import java.time.Duration;
import java.util.function.Consumer;
import org.tasktube.Task;
import org.tasktube.TaskListener;
import org.tasktube.TaskResult;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

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

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @Override
    public void onTask(Task task) throws Exception {
        String text = task.text();
        script.began(text);
        rows.add(text);
        if (text.startsWith("result")) {
            with(task, tube -> tube.ack(task, TaskResult.completed("of " + text)));
        }
        if (text.startsWith("bury")) {
            with(task, tube -> tube.bury(task));
        }
        if (text.startsWith("touch")) {
            with(task, tube -> tube.touch(task, Duration.ofMinutes(1)));
            script.awaitGo(text);
        }
        if (text.startsWith("result and rollback") && task.attempts() == 1) {
            context.setRollbackOnly();
        }
        if (text.startsWith("throw")) {
            throw new IllegalStateException("as asked: " + text);
        }
        if (text.startsWith("checked")) {
            throw new java.io.IOException("as asked: " + text);
        }
        if (text.startsWith("rollback")) {
            context.setRollbackOnly();
        }
        if (text.startsWith("wait")) {
            script.awaitGo(text);
        }
    }

    private void with(Task task, Consumer<Tube> work) {
        try (TubeConnection connection = tubes.getConnection()) {
            work.accept(connection.tube(task.tube()));
        }
    }
}
