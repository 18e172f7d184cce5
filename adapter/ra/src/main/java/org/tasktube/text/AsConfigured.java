package org.tasktube.text;

import java.math.BigDecimal;
import java.time.Duration;

/** A duration as in configuration, as a whole number of the largest possible unit: 500ms, 1.5s, 10m, 2h, 1d. */
public final class AsConfigured {

    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private final Duration duration;

    /** Formats a parameter of a log message, by {@code @FormatWith}. */
    public AsConfigured(Duration duration) {
        this.duration = duration;
    }

    /** Returns the duration as text. */
    public static String text(Duration duration) {
        return new AsConfigured(duration).toString();
    }

    @Override
    public String toString() {
        long millis = duration.toMillis();
        if (millis == 0) {
            return duration.isZero() ? "0s" : duration.toString();
        }
        if (millis % DAY == 0) {
            return millis / DAY + "d";
        }
        if (millis % HOUR == 0) {
            return millis / HOUR + "h";
        }
        if (millis % MINUTE == 0) {
            return millis / MINUTE + "m";
        }
        return Math.abs(millis) < SECOND
                ? millis + "ms"
                : BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString() + "s";
    }
}
