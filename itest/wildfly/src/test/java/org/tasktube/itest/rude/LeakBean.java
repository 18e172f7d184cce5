package org.tasktube.itest.rude;

import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/** Leaves a connection, a watch and a listener open. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = Rude.LEAKS))
public class LeakBean implements TaskListener {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @Override
    @SuppressWarnings({"MustBeClosedChecker", "resource"})
    public void onTask(Task task) {
        TubeConnection left = tubes.getConnection();
        left.tube(Rude.LEAKS).watch(task.id());
        left.tube(Rude.LEAKS).onTaskChange(change -> {
            throw new LinkageError("of an application that may be undeployed, at " + change.event());
        });
        Rude.BEGUN.release();
    }
}
