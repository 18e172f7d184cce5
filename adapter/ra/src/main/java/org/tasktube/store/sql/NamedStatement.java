package org.tasktube.store.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement in the form that JDBC takes.
 *
 * @param name the name of the statement in the file of {@link Statements}
 * @param text the statement with a question mark for each parameter
 * @param parameters the names of the parameters, in the order of the question marks
 * @param readsClock true if H2 must read the time into a variable before the statement
 */
public record NamedStatement(String name, String text, List<String> parameters, boolean readsClock) {

    private static final String CLOCK = "@tasktube_now";

    /** A parameter. Texts in quotes and casts by two colons match first, because neither has parameters. */
    private static final Pattern PARAMETER = Pattern.compile("'[^']*'|::|:([a-z_]+)");

    /** Returns a statement from a text with parameters in the form {@code :name}. */
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
