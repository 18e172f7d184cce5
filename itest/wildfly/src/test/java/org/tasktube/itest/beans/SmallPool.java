package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean of which jboss-ejb3.xml lets one instance be, although eight tasks may be delivered to it at once. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = SmallPool.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "8"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "1")
        })
public class SmallPool implements TaskListener {

    static final String TUBE = "small-pool";

    private static final long WORK = 300_000_000;

    @EJB
    private Rows rows;

    @Override
    public void onTask(Task task) {
        rows.add(task.text());
        LockSupport.parkNanos(WORK);
    }
}
