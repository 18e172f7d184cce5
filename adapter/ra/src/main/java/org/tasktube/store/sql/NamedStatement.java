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
 * @param clock the query by which the time is read before this statement, for its parameters {@code :clock}; empty if it
 *     has none
 */
public record NamedStatement(String name, String text, List<String> parameters, String clock) {

    /** The time of a statement, which H2 gets as a parameter. A variable of the session would be set by a SET, after
     * which H2 compiles all prepared statements of all sessions anew. */
    static final String CLOCK = "clock";

    private static final String READ_CLOCK = "CALL tasktube_now()";

    /** A parameter. Texts and names in quotes, and casts by two colons, match first, because none has parameters. */
    private static final Pattern PARAMETER = Pattern.compile("'[^']*'|\"[^\"]*\"|::|:([a-z_]+)");

    /** Returns a statement from a text with parameters in the form {@code :name}. */
    static NamedStatement of(String name, String text, SchemaName schema) {
        List<String> parameters = new ArrayList<>();
        StringBuilder marked = new StringBuilder();
        Matcher matcher = PARAMETER.matcher(schema.qualify(text));
        while (matcher.find()) {
            String parameter = matcher.group(1);
            if (parameter != null) {
                parameters.add(parameter);
            }
            matcher.appendReplacement(marked, parameter == null ? Matcher.quoteReplacement(matcher.group()) : "?");
        }
        matcher.appendTail(marked);
        String clock = parameters.contains(CLOCK) ? schema.qualify(READ_CLOCK) : "";
        return new NamedStatement(name, marked.toString(), List.copyOf(parameters), clock);
    }
}
