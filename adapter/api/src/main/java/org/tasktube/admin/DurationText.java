package org.tasktube.admin;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as in configuration and filters, a number of the largest fitting unit: 500ms, 1.5s, 10m, 2h, 1d. */
public final class DurationText {

    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?)\\s*(ms|s|m|h|d|)");

    private DurationText() {}

    /**
     * Returns the duration of a text: a number with a unit, a number of milliseconds, or an ISO-8601 duration.
     *
     * @throws java.time.format.DateTimeParseException if the text is none of these
     * @throws ArithmeticException if the duration is too long, or is not a whole number of milliseconds
     */
    public static Duration parse(String text) {
        Matcher amount = AMOUNT.matcher(text);
        if (!amount.matches()) {
            return Duration.parse(text);
        }
        Unit unit = amount.group(2).isEmpty() ? Unit.ms : Unit.valueOf(amount.group(2));
        return Duration.ofMillis(new BigDecimal(amount.group(1))
                .multiply(BigDecimal.valueOf(unit.millis))
                .longValueExact());
    }

    /** Returns a duration as text, in whole milliseconds. */
    public static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0) {
            return duration.isZero() ? "0s" : duration.toString();
        }
        for (Unit unit : Unit.values()) {
            if (millis % unit.millis == 0 && unit != Unit.ms) {
                return millis / unit.millis + unit.name();
            }
        }
        return Math.abs(millis) < Unit.s.millis
                ? millis + "ms"
                : BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString() + "s";
    }

    /** The units by their names, the largest first. */
    private enum Unit {
        d(86_400_000),
        h(3_600_000),
        m(60_000),
        s(1_000),
        ms(1);

        private final long millis;

        Unit(long millis) {
            this.millis = millis;
        }
    }
}
