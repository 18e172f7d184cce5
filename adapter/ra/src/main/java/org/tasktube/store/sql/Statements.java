package org.tasktube.store.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The statements of one database by their names: those of its file, and those of {@code common.sql}, which are the same
 * in each database. The adapter, the tests of plans and the benchmark's reference read the same files.
 *
 * <p>The adapter's statements name the schema of each table. Applications share its connections, and may set another
 * schema on one.
 */
public final class Statements {

    private static final String COMMON = "common.sql";
    private static final Pattern NAME = Pattern.compile("(?m)^-- name: (\\w+)$");
    private static final Pattern COMMENT = Pattern.compile("(?m)^--.*$");
    private static final Pattern PART = Pattern.compile("\\{(\\w+)}");
    /** Only a frame has this part. A change replaces it. */
    private static final String FRAMED = "{change}";

    /** A server opens its database again after each failure, by the same statements. */
    private static final Map<Source, Statements> READ = new ConcurrentHashMap<>();

    private final String file;
    private final SchemaName schema;
    private final Map<String, String> texts = new HashMap<>();
    private final Map<String, NamedStatement> statements = new HashMap<>();

    /** Each connection of the adapter's own has all of them. */
    private final Map<Framed, NamedStatement> framed = new ConcurrentHashMap<>();

    private record Framed(String frame, String change, String answer) {}

    private Statements(String file, SchemaName schema) {
        this.file = file;
        this.schema = schema;
    }

    /** Returns the statements of a file in the package of this class, for the schema that a connection has. */
    public static Statements read(String file) {
        return read(file, SchemaName.OF_THE_CONNECTION);
    }

    /** Returns the statements for the tables of a schema. */
    static Statements read(String file, SchemaName schema) {
        return READ.computeIfAbsent(new Source(file, schema), Source::read);
    }

    private record Source(String file, SchemaName schema) {
        Statements read() {
            return parsed(file, schema);
        }
    }

    private static Statements parsed(String file, SchemaName schema) {
        Statements read = new Statements(file, schema);
        read.parse(content(COMMON));
        read.parse(content(file));
        read.texts.forEach((name, text) -> {
            if (!text.contains(FRAMED)) {
                read.statements.put(name, read.named(name, text, Map.of()));
            }
        });
        return read;
    }

    private static String content(String file) {
        try (InputStream stream = Statements.class.getResourceAsStream(file)) {
            if (stream == null) {
                throw new IllegalStateException(file + " is missing beside " + Statements.class.getName());
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void parse(String content) {
        Matcher name = NAME.matcher(content);
        boolean found = name.find();
        while (found) {
            String key = name.group(1);
            int start = name.end();
            found = name.find();
            String text = content.substring(start, found ? name.start() : content.length());
            if (texts.put(key, COMMENT.matcher(text).replaceAll("").strip()) != null) {
                throw new IllegalStateException(file + " has two statements of the name " + key);
            }
        }
    }

    /**
     * Returns a statement.
     *
     * @throws IllegalArgumentException if the file has no statement of that name
     */
    public NamedStatement get(String name) {
        NamedStatement statement = statements.get(name);
        if (statement == null) {
            throw new IllegalArgumentException(file + " has no statement of the name " + name);
        }
        return statement;
    }

    /** Returns each statement with its parts, as the database gets it. */
    @Override
    public String toString() {
        return new TreeMap<>(statements)
                .entrySet().stream()
                        .map(each -> "-- name: " + each.getKey() + "\n"
                                + each.getValue().text() + "\n")
                        .collect(Collectors.joining("\n"));
    }

    /** Returns a frame of the file, completed by a change of the file and by the columns of its answer. */
    NamedStatement framed(String frame, String change, String answer) {
        return framed.computeIfAbsent(
                new Framed(frame, change, answer),
                key -> named(change, text(frame), Map.of("change", text(change), "answer", answer)));
    }

    private NamedStatement named(String name, String text, Map<String, String> given) {
        return NamedStatement.of(name, complete(text, given), schema);
    }

    /** Returns a text with its parts. A part is given, or is another text of the file. */
    private String complete(String text, Map<String, String> given) {
        return PART.matcher(text).replaceAll(part -> {
            String name = part.group(1);
            return Matcher.quoteReplacement(complete(given.containsKey(name) ? given.get(name) : text(name), given));
        });
    }

    private String text(String name) {
        String text = texts.get(name);
        if (text == null) {
            throw new IllegalArgumentException(file + " has no statement of the name " + name);
        }
        return text;
    }
}
