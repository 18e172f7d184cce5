package org.tasktube.jca;

import jakarta.resource.spi.InvalidPropertyException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads properties, and says of all that are wrong at once. */
public final class Properties {

    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?)\\s*(ms|s|m|h|d|)");

    private final List<String> wrong = new ArrayList<>();

    /** A whole number between bounds. */
    public int number(String name, String value, int min, int max) {
        return read(name, value, min, text -> {
            int number = Integer.parseInt(text);
            if (number < min || number > max) {
                throw new IllegalArgumentException("takes " + min + " to " + max);
            }
            return number;
        });
    }

    /** A decimal number between bounds; not NaN. */
    public double decimal(String name, String value, double min, double max) {
        return read(name, value, min, text -> {
            double number = Double.parseDouble(text);
            if (!(number >= min && number <= max)) {
                throw new IllegalArgumentException("takes " + min + " to " + max);
            }
            return number;
        });
    }

    /** A duration between bounds: 500ms, 1.5s, 10m, 2h, 1d, a plain number of milliseconds, or ISO 8601 (PT5S). */
    public Duration duration(String name, String value, Duration min, Duration max) {
        return read(name, value, min, text -> {
            Duration duration = parse(text);
            if (duration.compareTo(min) < 0 || duration.compareTo(max) > 0) {
                throw new IllegalArgumentException("takes " + min + " to " + max);
            }
            return duration;
        });
    }

    /** True or false, and nothing else. */
    public boolean flag(String name, String value) {
        return read(name, value, false, text -> switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("takes true or false");
        });
    }

    /** One of the constants of a type, in lower case. */
    public <E extends Enum<E>> E choice(String name, String value, Class<E> type) {
        List<E> all = List.of(type.getEnumConstants());
        return read(name, value, all.get(0), text -> all.stream()
                .filter(constant -> lower(constant).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        all.stream().map(Properties::lower).collect(Collectors.joining(" or ", "takes ", "")))));
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Any text that a check lets through, which it may change. */
    public String text(String name, String value, Function<String, String> check) {
        return read(name, value, "", check);
    }

    /** Remembers that something is wrong. */
    public void refuse(String why) {
        wrong.add(why);
    }

    /**
     * Ends the reading.
     *
     * @throws InvalidPropertyException if anything was wrong, with all of it
     */
    public void check() throws InvalidPropertyException {
        if (!wrong.isEmpty()) {
            throw new InvalidPropertyException(String.join("; ", wrong));
        }
    }

    private <T> T read(String name, String value, T otherwise, Function<String, T> parse) {
        if (value == null || value.isBlank()) {
            refuse("property " + name + " is missing");
            return otherwise;
        }
        try {
            return parse.apply(value.strip());
        } catch (IllegalArgumentException | DateTimeParseException | ArithmeticException e) {
            refuse("property " + name + " is '" + value + "': " + e.getMessage() + hint(value));
            return otherwise;
        }
    }

    private static String hint(String value) {
        return value.contains("${")
                ? "; expressions are read in jboss-ejb3.xml, in annotations only where allowed"
                : "";
    }

    private static Duration parse(String text) {
        Matcher amount = AMOUNT.matcher(text);
        if (!amount.matches()) {
            return Duration.parse(text);
        }
        long unit =
                switch (amount.group(2)) {
                    case "s" -> 1_000;
                    case "m" -> 60_000;
                    case "h" -> 3_600_000;
                    case "d" -> 86_400_000;
                    default -> 1;
                };
        return Duration.ofMillis(new BigDecimal(amount.group(1))
                .multiply(BigDecimal.valueOf(unit))
                .longValueExact());
    }
}
