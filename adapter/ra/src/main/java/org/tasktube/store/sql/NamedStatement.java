package org.tasktube.store.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement as JDBC takes it.
 *
 * @param name the one by which a file of {@link Statements} has it
 * @param text the statement with a question mark in the place of each parameter
 * @param parameters the names of the parameters, in the order of the question marks
 * @param readsClock whether H2 must read the time into a variable before it
 */
public record NamedStatement(String name, String text, List<String> parameters, boolean readsClock) {

    private static final String CLOCK = "@tasktube_now";

    /** A parameter, after what must not be read as one: texts in quotes and casts by two colons. */
    private static final Pattern PARAMETER = Pattern.compile("'[^']*'|::|:([a-z_]+)");

    /** Returns a statement whose parameters are written {@code :name}. */
    public static NamedStatement of(String name, String named) {
        List<String> parameters = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        Matcher matcher = PARAMETER.matcher(named);
        while (matcher.find()) {
            String parameter = matcher.group(1);
            if (parameter != null) {
                parameters.add(parameter);
            }
            matcher.appendReplacement(text, parameter == null ? Matcher.quoteReplacement(matcher.group()) : "?");
        }
        matcher.appendTail(text);
        return new NamedStatement(name, text.toString(), List.copyOf(parameters), named.contains(CLOCK));
    }
}
