package org.tasktube.store.sql;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The schema of TaskTube's tables, as a part of statements.
 *
 * @param quoted the name in double quotes; empty for statements without one
 */
record SchemaName(String quoted) {

    /** Statements without the name find the tables by the schema that the connection has. */
    static final SchemaName OF_THE_CONNECTION = new SchemaName("");

    /** A text in single quotes, or a name of TaskTube's: no variable and no parameter. */
    private static final Pattern NAME = Pattern.compile("'[^']*'|(?<![\\w.:@])tasktube_\\w+");

    /** The names of locks are of no schema: servers with and without a schema in their statements share them. */
    private static final String LOCK = "hashtext(";

    private static final String NAME_IN_TEXT = "'tasktube_";

    static SchemaName of(String name) {
        return new SchemaName('"' + name.replace("\"", "\"\"") + '"');
    }

    /** Puts the schema before each name of a table, a sequence or a function, also before one in a text. */
    String qualify(String statement) {
        if (quoted.isEmpty()) {
            return statement;
        }
        return NAME.matcher(statement)
                .replaceAll(match -> Matcher.quoteReplacement(qualified(statement, match.start(), match.group())));
    }

    private String qualified(String statement, int at, String found) {
        if (!found.startsWith("'")) {
            return quoted + "." + found;
        }
        return found.startsWith(NAME_IN_TEXT) && !statement.substring(0, at).endsWith(LOCK)
                ? "'" + quoted.replace("'", "''") + "." + found.substring(1)
                : found;
    }
}
