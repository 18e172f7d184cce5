package org.tasktube.timers;

import jakarta.annotation.Resource;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.Timeout;
import jakarta.ejb.Timer;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.time.Duration;
import org.tasktube.spi.DeadlineTimer;

/**
 * Has the adapter sweep at each deadline by an EJB timer. The adapter delivers to it when what is due next changes; when a
 * timer fires, the sweep has the adapter arm the next one. It uses no connection: applications that use up a pool cannot
 * keep deadlines from being met.
 *
 * <p>Nothing here is in a transaction: in one, a cancelled timer would fire and a new one would not if it rolled back.
 */
@MessageDriven(messageListenerInterface = DeadlineTimer.class)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class DeadlineTimerBean implements DeadlineTimer {

    /** Of all instances: the container may have another one than was armed meet the timeout. */
    private static volatile Runnable whenDue = () -> {};

    @Resource
    private TimerService timers;

    @Override
    public void arm(Duration delay, Runnable sweep) {
        whenDue = sweep;
        for (Timer former : timers.getTimers()) {
            cancel(former);
        }
        // Not persistent: what is due is in the database, and found there after a restart
        timers.createSingleActionTimer(Math.max(1, delay.plusNanos(999_999).toMillis()), new TimerConfig(null, false));
    }

    private static void cancel(Timer former) {
        try {
            former.cancel();
        } catch (jakarta.ejb.NoSuchObjectLocalException e) {
            // It fires right now, which is as good
            return;
        }
    }

    @Timeout
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void sweep() {
        whenDue.run();
    }
}
