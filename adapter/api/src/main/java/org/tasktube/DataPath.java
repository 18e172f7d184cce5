package org.tasktube;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The path of a value inside JSON data, as a filter has it after {@code data.}: names from the outermost on, with dots
 * between them, such as {@code customer.id}. In an array the name is an index from 0. A name with white space, a dot, a
 * quote, or one of {@code : < > =} is in quotes, in which a backslash takes the next character as it is. No
 * name has a control character.
 *
 * @param names the names, at least one
 */
public record DataPath(List<String> names) {

    /** The maximum length of a path's text, in characters. */
    public static final int MAX_LENGTH = 100;

    private static final String PLAIN = "[^\\s\".<>=:]+";

    private static final Pattern NAME =
            Pattern.compile("\\G(?:(" + PLAIN + ")|\"((?:[^\"\\\\]|\\\\.)+)\")(?:\\.(?!$)|$)");

    public DataPath {
        names = List.copyOf(names);
    }

    /**
     * Reads a path. White space around it does not count.
     *
     * @throws IllegalArgumentException if the text is no path, or is longer than {@value #MAX_LENGTH} characters
     */
    public static DataPath parse(String text) {
        String path = text.strip();
        if (path.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("the field '" + path.substring(0, MAX_LENGTH) + "' has " + path.length()
                    + " characters; it takes at most " + MAX_LENGTH);
        }
        List<String> names = new ArrayList<>();
        Matcher name = NAME.matcher(path);
        int end = 0;
        while (name.find()) {
            names.add(name.group(1) == null ? name.group(2).replaceAll("\\\\(.)", "$1") : name.group(1));
            end = name.end();
        }
        if (names.isEmpty() || end < path.length() || path.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("'" + path.replaceAll("\\p{Cntrl}", "?")
                    + "' is no field of the data; write its names with dots between them, such as customer.id");
        }
        return new DataPath(names);
    }

    /** Returns the path as it is written, from which {@link #parse} reads an equal one. */
    @Override
    public String toString() {
        return names.stream().map(DataPath::written).collect(Collectors.joining("."));
    }

    private static String written(String name) {
        return name.matches(PLAIN) ? name : '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
