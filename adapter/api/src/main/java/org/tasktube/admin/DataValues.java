package org.tasktube.admin;

import jakarta.json.Json;
import jakarta.json.JsonException;
import jakarta.json.stream.JsonParser;
import jakarta.json.stream.JsonParser.Event;
import java.io.StringReader;
import java.math.BigDecimal;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.tasktube.DataPath;
import org.tasktube.TaskData;
import org.tasktube.admin.FilterCondition.Comparison;

/**
 * Conditions on the data of a task. Data is read as a stream up to the named value, so hostile data costs no more than
 * its length. Data that is no JSON, or is nested deeper than the JSON provider reads, has no values inside.
 */
final class DataValues {

    private DataValues() {}

    static boolean isIn(FilterCondition condition, TaskData data) {
        if (condition.path().isEmpty()) {
            return FieldValues.isOneOf(condition.values(), data.text());
        }
        if (!data.contentType().equals(TaskData.JSON)) {
            return false;
        }
        try (JsonParser parser = Json.createParser(new StringReader(data.text()))) {
            return find(parser, condition.path())
                    .filter(found -> fits(condition, parser, found))
                    .isPresent();
        } catch (JsonException | NoSuchElementException | IllegalStateException e) {
            // The data of a task is any bytes; data that is no JSON has no value of that name
            return false;
        }
    }

    /** Returns the text of a single value; empty if the data has none at the path. */
    static Optional<String> single(DataPath path, TaskData data) {
        if (!data.contentType().equals(TaskData.JSON)) {
            return Optional.empty();
        }
        try (JsonParser parser = Json.createParser(new StringReader(data.text()))) {
            return find(parser, path.names()).flatMap(found -> text(parser, found));
        } catch (JsonException | NoSuchElementException | IllegalStateException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> text(JsonParser parser, Event value) {
        return switch (value) {
            case VALUE_STRING, VALUE_NUMBER -> Optional.of(parser.getString());
            case VALUE_TRUE, VALUE_FALSE, VALUE_NULL -> Optional.of(word(value));
            default -> Optional.empty();
        };
    }

    /** Moves to the value of a path; returns its first event, or empty if there is no such value. */
    private static Optional<Event> find(JsonParser parser, List<String> path) {
        Event at = parser.next();
        for (String name : path) {
            boolean found =
                    switch (at) {
                        case START_OBJECT -> toName(parser, name);
                        case START_ARRAY -> toIndex(parser, name);
                        default -> false;
                    };
            if (!found) {
                return Optional.empty();
            }
            at = parser.next();
            if (at == Event.END_ARRAY) {
                return Optional.empty();
            }
        }
        return Optional.of(at);
    }

    private static boolean toName(JsonParser parser, String name) {
        for (Event event = parser.next(); event != Event.END_OBJECT; event = parser.next()) {
            if (parser.getString().equals(name)) {
                return true;
            }
            skip(parser, parser.next());
        }
        return false;
    }

    private static boolean toIndex(JsonParser parser, String name) {
        if (!name.matches("\\d{1,9}")) {
            return false;
        }
        for (int left = Integer.parseInt(name); left > 0; left--) {
            Event event = parser.next();
            if (event == Event.END_ARRAY) {
                return false;
            }
            skip(parser, event);
        }
        return true;
    }

    /** Moves to the end of a value. The parser's own skips look for an end that broken data does not have, for ever. */
    private static void skip(JsonParser parser, Event first) {
        int depth = depth(first);
        while (depth > 0) {
            depth += depth(parser.next());
        }
    }

    private static int depth(Event event) {
        return switch (event) {
            case START_OBJECT, START_ARRAY -> 1;
            case END_OBJECT, END_ARRAY -> -1;
            default -> 0;
        };
    }

    private static boolean fits(FilterCondition condition, JsonParser parser, Event value) {
        return switch (value) {
            case VALUE_STRING ->
                condition.comparison() == Comparison.IS && FieldValues.isOneOf(condition.values(), parser.getString());
            case VALUE_NUMBER -> isNumber(condition, parser.getString());
            case VALUE_TRUE, VALUE_FALSE, VALUE_NULL ->
                condition.comparison() == Comparison.IS && FieldValues.isOneOf(condition.values(), word(value));
            default -> condition.values().contains("*");
        };
    }

    private static String word(Event value) {
        return switch (value) {
            case VALUE_TRUE -> "true";
            case VALUE_FALSE -> "false";
            default -> "null";
        };
    }

    /** Compares exactly: numbers of any size and precision keep each digit. */
    private static boolean isNumber(FilterCondition condition, String text) {
        if (condition.comparison() == Comparison.IS && FieldValues.isOneOf(condition.values(), text)) {
            return true;
        }
        Optional<BigDecimal> number = FieldValues.decimal(text);
        return condition.values().stream()
                .flatMap(value -> FieldValues.decimal(value).stream())
                .anyMatch(value -> number.filter(found -> condition.comparison().fits(found.compareTo(value)))
                        .isPresent());
    }
}
