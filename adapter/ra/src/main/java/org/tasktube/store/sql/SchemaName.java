package org.tasktube.store.sql;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The schema of TaskTube's tables, and which of the two tables of tasks, as parts of statements.
 *
 * @param quoted the name in double quotes; empty for statements without one
 * @param temporary true for the table of the tasks of temporary tubes, which has the same shape
 */
record SchemaName(String quoted, boolean temporary) {

    /** Statements without the name find the tables by the schema that the connection has. */
    static final SchemaName OF_THE_CONNECTION = new SchemaName("", false);

    /** The table of tasks, with its indexes and constraints, and what works on it. The sequence is one for both tables. */
    private static final Pattern DURABLE = Pattern.compile("tasktube_task(?!_seq)|tasktube_promote_heads");

    /** A text in single quotes, or a name of TaskTube's: no variable and no parameter. */
    private static final Pattern NAME = Pattern.compile("'[^']*'|(?<![\\w.:@])tasktube_\\w+");

    /** The names of locks are of no schema: servers with and without a schema in their statements share them. */
    private static final String LOCK = "hashtext(";

    private static final String NAME_IN_TEXT = "'tasktube_";

    static SchemaName of(String name) {
        return new SchemaName('"' + name.replace("\"", "\"\"") + '"', false);
    }

    /** Returns the same schema, for the tasks of temporary tubes. */
    SchemaName ofTemporary() {
        return new SchemaName(quoted, true);
    }

    /** Returns whether a text is about the table of durable tasks. */
    static boolean isOfTasks(String statement) {
        return DURABLE.matcher(statement).find();
    }

    /** Returns a text for the table of the tasks of temporary tubes. */
    static String forTemporary(String statement) {
        return DURABLE.matcher(statement)
                .replaceAll(
                        name -> name.group().endsWith("heads") ? "tasktube_promote_temporary" : "tasktube_temporary");
    }

    /** Puts the schema before each name of a table, a sequence or a function, also before one in a text. */
    String qualify(String statement) {
        String named = temporary ? forTemporary(statement) : statement;
        return quoted.isEmpty()
                ? named
                : NAME.matcher(named)
                        .replaceAll(match -> Matcher.quoteReplacement(qualified(named, match.start(), match.group())));
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
