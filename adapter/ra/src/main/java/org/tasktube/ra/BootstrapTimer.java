package org.tasktube.ra;

import java.time.Duration;
import java.util.Timer;
import java.util.TimerTask;
import org.tasktube.spi.DeadlineTimer;

/** The deadline timer of a bare rar: the one that the server gives every resource adapter. */
final class BootstrapTimer implements DeadlineTimer {

    private final Timer timer;
    private final Runnable sweep;
    private TimerTask armed;

    BootstrapTimer(Timer timer, Runnable sweep) {
        this.timer = timer;
        this.sweep = sweep;
    }

    @Override
    public synchronized void arm(Duration delay) {
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
