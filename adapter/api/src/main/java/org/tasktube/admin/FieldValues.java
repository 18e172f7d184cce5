package org.tasktube.admin;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.TaskState;
import org.tasktube.admin.FilterCondition.Comparison;

/** The values that each kind of field takes in a condition, and their meaning. */
final class FieldValues {

    private FieldValues() {}

    /** Fails if the field of a condition does not take its comparison or one of its values. */
    static void check(FilterCondition condition) {
        FilterField field = condition.field();
        boolean ordered = condition.comparison() != Comparison.IS;
        if (ordered && condition.values().size() > 1) {
            throw new IllegalArgumentException("'" + condition + "' compares with "
                    + condition.values().size() + " values; write one, or a condition for each");
        }
        switch (field.kind()) {
            case TEXT -> checkSign(condition, !ordered, ":");
            case STATE -> {
                checkSign(condition, !ordered, ":");
                condition.values().forEach(FieldValues::state);
            }
            case NUMBER -> condition.values().forEach(value -> number(condition, value));
            case DURATION -> {
                checkSign(condition, ordered, "< <= > >=");
                condition.values().forEach(value -> duration(condition, value));
            }
            case FINGERPRINT -> {
                checkSign(condition, !ordered, ":");
                condition.values().forEach(value -> fingerprint(condition, value));
            }
            case DATA -> {
                checkSign(condition, !ordered || !condition.path().isEmpty(), ": (only a value inside it is ordered)");
                if (ordered) {
                    condition.values().forEach(value -> decimal(condition, value));
                }
            }
        }
    }

    private static void checkSign(FilterCondition condition, boolean allowed, String signs) {
        if (!allowed) {
            throw new IllegalArgumentException("'" + condition + "' compares by "
                    + condition.comparison().sign() + "; " + condition.field().label() + " takes " + signs
                    + ", such as "
                    + condition.field().example());
        }
    }

    static TaskState state(String value) {
        return Stream.of(TaskState.values())
                .filter(state -> label(state).equals(value.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + value + "' is no state; the states are "
                        + Stream.of(TaskState.values()).map(FieldValues::label).collect(Collectors.joining(", "))));
    }

    private static String label(TaskState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    static long number(FilterCondition condition, String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw wrong(condition, value, "a whole number", e);
        }
    }

    static BigDecimal decimal(FilterCondition condition, String value) {
        return decimal(value)
                .orElseThrow(() -> wrong(condition, value, "a number, because the comparison orders values", null));
    }

    /** Returns the number of a text; empty if it is none, or too long to be compared at a bounded cost. */
    static Optional<BigDecimal> decimal(String value) {
        if (value.length() > LONGEST_NUMBER) {
            return Optional.empty();
        }
        try {
            BigDecimal number = new BigDecimal(value);
            return Math.abs((long) number.scale()) > MOST_DIGITS ? Optional.empty() : Optional.of(number);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    static Duration duration(FilterCondition condition, String value) {
        try {
            Duration duration = DurationText.parse(value);
            if (!duration.isZero() && Character.isDigit(value.charAt(value.length() - 1))) {
                throw new IllegalArgumentException("it has no unit");
            }
            return duration;
        } catch (RuntimeException e) {
            throw wrong(condition, value, "a duration with a unit, such as 500ms, 1.5s, 10m, 2h or 1d", e);
        }
    }

    private static void fingerprint(FilterCondition condition, String value) {
        if (!FINGERPRINT.matcher(value).matches()) {
            throw wrong(condition, value, "the id of a fingerprint, which has 16 digits of 0 to 9 and a to f", null);
        }
    }

    private static IllegalArgumentException wrong(FilterCondition condition, String value, String takes, Exception e) {
        return new IllegalArgumentException(
                "'" + value + "' of " + condition.field().label() + " is not " + takes, e);
    }

    private static final int MOST_DIGITS = 10_000;

    /** A longer one is a text: the time to read a number grows with the square of its length. */
    private static final int LONGEST_NUMBER = 1_000;

    private static final Pattern FINGERPRINT = Pattern.compile("[0-9a-f]{16}");

    /** Returns whether a text is one of these values, in which {@code *} stands for any text. */
    static boolean isOneOf(List<String> values, String text) {
        return values.stream().anyMatch(value -> Wildcard.matches(value, text));
    }
}
