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
 * Makes the adapter sweep at each deadline by an EJB timer. The adapter calls it when the next deadline changes. When a
 * timer fires, the sweep makes the adapter arm the next one. It uses no connection, so an application that uses up a
 * pool does not delay deadlines.
 *
 * <p>No transaction covers these calls. In a transaction that rolled back, a cancelled timer would fire and a new one
 * would not.
 */
@MessageDriven(messageListenerInterface = DeadlineTimer.class)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class DeadlineTimerBean implements DeadlineTimer {

    /** The sweep, shared by all instances: the container may call the timeout of another instance than it armed. */
    private static volatile Runnable whenDue = () -> {};

    @Resource
    private TimerService timers;

    @Override
    public void arm(Duration delay, Runnable sweep) {
        whenDue = sweep;
        for (Timer former : timers.getTimers()) {
            cancel(former);
        }
        // Not persistent: the deadlines are in the database, where the adapter finds them after a restart
        timers.createSingleActionTimer(Math.max(1, delay.plusNanos(999_999).toMillis()), new TimerConfig(null, false));
    }

    private static void cancel(Timer former) {
        try {
            former.cancel();
        } catch (jakarta.ejb.NoSuchObjectLocalException e) {
            // The timer is firing right now, which has the same effect
            return;
        }
    }

    @Timeout
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void sweep() {
        whenDue.run();
    }
}
