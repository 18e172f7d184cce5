package org.tasktube.console.security;

import jakarta.ws.rs.core.MediaType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the header Accept. The media types themselves are read by RESTEasy's parser; but RESTEasy divides a list at
 * commas in quotes too, refuses empty elements, and fails with a wrong quality.
 */
final class AcceptHeader {

    private static final String QUALITY = "q";

    private AcceptHeader() {}

    /**
     * Returns the header as RESTEasy can read it: each type with its quality only, because no resource has a type with
     * parameters. It is empty if the list has no type.
     *
     * @throws IllegalArgumentException if a value is no list of media types
     */
    static String read(List<String> values) {
        List<String> types = new ArrayList<>();
        for (String value : values) {
            for (String element : elements(value)) {
                types.add(type(MediaType.valueOf(element)));
            }
        }
        return String.join(", ", types);
    }

    /** Returns whether the value of a header is one media type that RESTEasy can read. */
    static boolean isType(String value) {
        try {
            return !type(MediaType.valueOf(value)).isEmpty();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String type(MediaType type) {
        Optional<Float> quality =
                Optional.ofNullable(type.getParameters().get(QUALITY)).map(AcceptHeader::quality);
        return type.getType() + "/" + type.getSubtype()
                + quality.map(value -> ";" + QUALITY + "=" + value).orElse("");
    }

    private static float quality(String text) {
        float value = Float.parseFloat(text);
        if (value >= 0 && value <= 1) {
            return value;
        }
        throw new IllegalArgumentException("a quality is a number from 0 to 1, not " + text);
    }

    /** Returns the elements of a list without the empty ones, which RFC 9110 5.6.1.2 allows. */
    static List<String> elements(String list) {
        List<String> elements = new ArrayList<>();
        StringBuilder element = new StringBuilder();
        boolean isQuoted = false;
        for (int i = 0; i < list.length(); i++) {
            char c = list.charAt(i);
            if (c == ',' && !isQuoted) {
                elements.add(element.toString().strip());
                element.setLength(0);
                continue;
            }
            element.append(c);
            if (c == '\\' && isQuoted && i + 1 < list.length()) {
                element.append(list.charAt(++i));
            } else if (c == '"') {
                isQuoted = !isQuoted;
            }
        }
        elements.add(element.toString().strip());
        elements.removeIf(String::isEmpty);
        return elements;
    }
}
