package org.tasktube.testing;

import java.time.Duration;
import java.util.Timer;
import java.util.TimerTask;
import org.tasktube.spi.DeadlineTimer;

/** A deadline timer on a thread of the JDK's. */
final class ThreadTimer implements DeadlineTimer {

    private final Timer timer = new Timer(true);
    private TimerTask armed;

    @Override
    public synchronized void arm(Duration delay, Runnable sweep) {
        if (armed != null) {
            armed.cancel();
        }
        armed = new TimerTask() {
            @Override
            public void run() {
                sweep.run();
            }
        };
        timer.schedule(armed, delay.toMillis());
    }
}
