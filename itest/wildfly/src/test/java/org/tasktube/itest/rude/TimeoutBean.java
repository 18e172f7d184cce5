package org.tasktube.itest.rude;

import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** Works in its first attempt until its transaction has timed out, however often it is undeployed before that. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Rude.TIMEOUTS),
            @ActivationConfigProperty(propertyName = "transactionTimeout", propertyValue = "1s"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "10ms")
        })
public class TimeoutBean implements TaskListener {

    private static final long LONGEST = 5_000_000_000L;

    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    private TransactionSynchronizationRegistry registry;

    @Override
    public void onTask(Task task) {
        if (task.attempts() > 1) {
            return;
        }
        Rude.BEGUN.release();
        long end = System.nanoTime() + LONGEST;
        while (registry.getTransactionStatus() == Status.STATUS_ACTIVE && System.nanoTime() < end) {
            LockSupport.parkNanos(5_000_000);
        }
    }
}
