package org.tasktube.testing;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A clock of nanoseconds that stands still until a test moves it. It begins just before its numbers overflow. */
public final class SteppedClock implements LongSupplier {

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10);

    @Override
    public long getAsLong() {
        return now.get();
    }

    public void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }
}
