package org.tasktube.text;

import java.time.Duration;
import org.tasktube.admin.DurationText;

/** Formats a duration in a log message as in configuration, by {@code @FormatWith}. */
public final class AsConfigured {

    private final Duration duration;

    public AsConfigured(Duration duration) {
        this.duration = duration;
    }

    @Override
    public String toString() {
        return DurationText.of(duration);
    }
}
