package org.tasktube.ra;

import java.time.Duration;
import java.util.Timer;
import java.util.TimerTask;
import org.tasktube.spi.DeadlineTimer;

/** The deadline timer of a plain rar: the timer that the server gives to every resource adapter. */
final class BootstrapTimer implements DeadlineTimer {

    private final Timer timer;
    private TimerTask armed;

    BootstrapTimer(Timer timer) {
        this.timer = timer;
    }

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

    void cancel() {
        timer.cancel();
    }
}
