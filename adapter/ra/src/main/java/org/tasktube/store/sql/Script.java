package org.tasktube.store.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** Files of statements that run one after another. */
final class Script {

    private static final Pattern COMMENT = Pattern.compile("(?m)--.*$");
    private static final Pattern STATEMENT = Pattern.compile("(?s)(?:\\$\\$.*?\\$\\$|[^;])++");

    private Script() {}

    /** Returns the text of a file beside this class. */
    static String read(String file) {
        try (InputStream in = Script.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the statements of a text. A statement with semicolons of its own has them between $$. */
    static List<String> statements(String text) {
        return STATEMENT
                .matcher(COMMENT.matcher(text).replaceAll(""))
                .results()
                .map(found -> found.group().strip())
                .filter(statement -> !statement.isEmpty())
                .toList();
    }

    /**
     * Returns the definition of all tables: the file of a database, with a second table of tasks of the same shape, for temporary tubes. The version is written
     * last.
     */
    static String definition(Dialect dialect) {
        String file = read(dialect.schemaFile());
        int version = file.lastIndexOf("INSERT INTO tasktube_schema");
        StringBuilder temporary = new StringBuilder("-- The tasks of temporary tubes.\n");
        statements(file).stream()
                .filter(SchemaName::isOfTasks)
                .map(SchemaName::forTemporary)
                .forEach(statement -> temporary
                        .append(statement.startsWith("CREATE TABLE") ? dialect.unlogged(statement) : statement)
                        .append(";\n"));
        return file.substring(0, version) + temporary + "\n" + file.substring(version);
    }
}
