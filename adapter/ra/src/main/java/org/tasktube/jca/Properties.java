package org.tasktube.jca;

import jakarta.resource.spi.InvalidPropertyException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tasktube.admin.DurationText;

/** Reads configuration properties, and reports all wrong ones together. */
public final class Properties {

    private final List<String> wrong = new ArrayList<>();

    /** Reads a whole number between bounds. */
    public int number(String name, String value, int min, int max) {
        return readAs("a whole number, " + min + " to " + max, name, value, min, text -> {
            int number = Integer.parseInt(text);
            return number >= min && number <= max ? Optional.of(number) : Optional.empty();
        });
    }

    /** Reads a decimal number between bounds; NaN is refused. */
    public double decimal(String name, String value, double min, double max) {
        return readAs("a number, " + plain(min) + " to " + plain(max), name, value, min, text -> {
            double number = Double.parseDouble(text);
            return number >= min && number <= max ? Optional.of(number) : Optional.empty();
        });
    }

    /**
     * Reads a duration between bounds: 500ms, 1.5s, 10m, 2h, 1d, a plain number of milliseconds, or ISO 8601 (PT5S).
     */
    public Duration duration(String name, String value, Duration min, Duration max) {
        String takes = "a duration such as 500ms, 1.5s, 10m, 2h, 1d or PT5S, " + DurationText.of(min) + " to "
                + DurationText.of(max);
        return readAs(takes, name, value, min, text -> {
            Duration duration = DurationText.parse(text);
            return duration.compareTo(min) >= 0 && duration.compareTo(max) <= 0
                    ? Optional.of(duration)
                    : Optional.empty();
        });
    }

    /** Reads {@code true} or {@code false}. */
    public boolean flag(String name, String value) {
        return read(name, value, false, text -> switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("it takes true or false");
        });
    }

    /** Reads one of the constants of a type, in lower case. */
    public <E extends Enum<E>> E choice(String name, String value, Class<E> type) {
        List<E> all = List.of(type.getEnumConstants());
        return read(name, value, all.get(0), text -> all.stream()
                .filter(constant -> lower(constant).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        all.stream().map(Properties::lower).collect(Collectors.joining(" or ", "it takes ", "")))));
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Reads a text by a check, which may change or refuse it. */
    public String text(String name, String value, Function<String, String> check) {
        return read(name, value, "", check);
    }

    /** Adds a fault to those that {@link #check()} reports. */
    public void refuse(String why) {
        wrong.add(why);
    }

    /**
     * Ends the reading.
     *
     * @throws InvalidPropertyException if any property was wrong, with all faults
     */
    public void check() throws InvalidPropertyException {
        if (!wrong.isEmpty()) {
            throw new InvalidPropertyException(String.join("; ", wrong));
        }
    }

    /**
     * Reads a value, and names the property's bounds if the parser refuses it. The parser's own message names the text
     * only.
     */
    private <T> T readAs(String takes, String name, String value, T otherwise, Function<String, Optional<T>> parse) {
        return read(name, value, otherwise, text -> {
            Optional<T> result;
            try {
                result = parse.apply(text);
            } catch (NumberFormatException | DateTimeParseException | ArithmeticException e) {
                throw new IllegalArgumentException("it takes " + takes, e);
            }
            return result.orElseThrow(() -> new IllegalArgumentException("it takes " + takes));
        });
    }

    private static String plain(double number) {
        return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
    }

    private <T> T read(String name, String value, T otherwise, Function<String, T> parse) {
        if (value == null || value.isBlank()) {
            refuse("property " + name + " is missing");
            return otherwise;
        }
        try {
            return parse.apply(value.strip());
        } catch (IllegalArgumentException e) {
            refuse("property " + name + " is '" + value + "': " + e.getMessage() + hint(value));
            return otherwise;
        }
    }

    private static String hint(String value) {
        return value.contains("${")
                ? "; expressions are read in jboss-ejb3.xml, in annotations only where allowed"
                : "";
    }
}
