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
 * @param clock the statement by which H2 must read the time into a variable before this one; empty if none
 */
public record NamedStatement(String name, String text, List<String> parameters, String clock) {

    private static final String CLOCK = "@tasktube_now";

    private static final String READ_CLOCK = "SET @tasktube_now = tasktube_now()";

    /** A parameter. Texts and names in quotes, and casts by two colons, match first, because none has parameters. */
    private static final Pattern PARAMETER = Pattern.compile("'[^']*'|\"[^\"]*\"|::|:([a-z_]+)");

    /** Returns a statement from a text with parameters in the form {@code :name}. */
    static NamedStatement of(String name, String text, SchemaName schema) {
        return withParameters(name, schema.qualify(text), text.contains(CLOCK) ? schema.qualify(READ_CLOCK) : "");
    }

    private static NamedStatement withParameters(String name, String named, String clock) {
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
        return new NamedStatement(name, text.toString(), List.copyOf(parameters), clock);
    }
}
