package org.tasktube.store.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.store.Transition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The files of statements: each statement has one name, is used, and has its parameters. */
class StatementsTest {

    private static final Path SOURCES = Path.of("src/main/java/org/tasktube/store/sql");
    private static final Path FILES = Path.of("src/main/resources/org/tasktube/store/sql");
    private static final Pattern NAME = Pattern.compile("(?m)^-- name: (\\w+)$");
    private static final Pattern PART = Pattern.compile("\\{(\\w+)}");
    private static final Pattern LITERAL = Pattern.compile("\"(\\w+)\"");

    @Test
    void a_parameter_is_a_name_after_a_colon_and_neither_in_quotes_nor_a_cast() {
        NamedStatement statement = NamedStatement.of(
                "x",
                "SELECT :b, ':c', a::text, :a_b, :b FROM \"o'f:me\".t WHERE d = ':e'",
                SchemaName.OF_THE_CONNECTION);
        assertThat(statement.text()).isEqualTo("SELECT ?, ':c', a::text, ?, ? FROM \"o'f:me\".t WHERE d = ':e'");
        assertThat(statement.parameters()).containsExactly("b", "a_b", "b");
    }

    @Test
    void each_table_sequence_and_function_has_its_schema_and_no_lock_and_no_parameter() {
        assertThat(SchemaName.of("a\"b'c")
                        .qualify("SELECT tasktube_task.id, nextval('tasktube_seq'), tasktube_open(:tasktube_a), :clock"
                                + " FROM tasktube_task WHERE hashtext('tasktube_lock') = 1 AND x = 'a tasktube_word'"))
                .isEqualTo(
                        "SELECT \"a\"\"b'c\".tasktube_task.id, nextval('\"a\"\"b''c\".tasktube_seq'),"
                                + " \"a\"\"b'c\".tasktube_open(:tasktube_a), :clock"
                                + " FROM \"a\"\"b'c\".tasktube_task WHERE hashtext('tasktube_lock') = 1 AND x = 'a tasktube_word'");
    }

    @Test
    void a_missing_value_fails_by_the_name_of_its_parameter() {
        assertThatThrownBy(() -> Parameters.of("id", 1L).get("tube"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tube")
                .hasMessageContaining("id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2.sql", "postgresql.sql"})
    void an_unknown_name_fails_with_the_file_and_the_name(String file) {
        Statements statements = Statements.read(file);
        assertThatThrownBy(() -> statements.get("no_such_statement"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file)
                .hasMessageContaining("no_such_statement");
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2.sql", "postgresql.sql"})
    void each_statement_is_used_by_the_adapter(String file) throws IOException {
        String content = Files.readString(FILES.resolve("common.sql")) + Files.readString(FILES.resolve(file));
        Set<String> unused = names(NAME, content);
        unused.removeAll(names(PART, content));
        unused.removeAll(literals());
        unused.removeAll(transitions());
        unused.removeIf(name -> name.matches("(updated|deleted)(_full)?"));
        assertThat(unused).isEmpty();
    }

    /** An operation needs a statement in each database: a forgotten one would fail at its first call only. */
    @ParameterizedTest
    @ValueSource(strings = {"h2.sql", "postgresql.sql"})
    void each_transition_of_a_task_that_is_named_has_a_statement(String file) {
        Statements statements = Statements.read(file);
        for (Transition transition : Transition.values()) {
            boolean ofOneTask = transition.by() == Transition.By.HOLDER || transition.by() == Transition.By.ID;
            String name = transition.name().toLowerCase(Locale.ROOT);
            if (ofOneTask && transition != Transition.RETURN_UNSTARTED && transition != Transition.CANCEL) {
                assertThat(statements.get(name).text()).as(name).contains("tasktube_task");
            }
        }
    }

    /** What the files write in parts, as the database gets it: {@code target/statements-h2.sql}, and the other one. */
    @ParameterizedTest
    @ValueSource(strings = {"h2.sql", "postgresql.sql"})
    void the_page_in_target_has_each_statement_without_parts(String file) throws IOException {
        Path page = Path.of("target").resolve("statements-" + file);
        Files.writeString(page, Statements.read(file).toString());
        assertThat(page)
                .content()
                .contains("-- name: claim\n")
                .contains("-- name: put_for\n")
                .doesNotContainPattern(PART);
    }

    private static Set<String> names(Pattern pattern, String content) {
        return pattern.matcher(content)
                .results()
                .map((MatchResult result) -> result.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> literals() throws IOException {
        Set<String> literals = new TreeSet<>();
        try (Stream<Path> sources = Files.list(SOURCES)) {
            for (Path source : sources.toList()) {
                literals.addAll(names(LITERAL, Files.readString(source)));
            }
        }
        for (String state : List.of("ready", "buried")) {
            literals.add("next_" + state);
            literals.add("lock_" + state);
        }
        return literals;
    }

    private static Set<String> transitions() {
        return Arrays.stream(Transition.values())
                .map(transition -> transition.name().toLowerCase(Locale.ROOT))
                .flatMap(name -> Stream.of(name, name + "_locked", name + "_failed", name + "_for_ttl"))
                .collect(Collectors.toSet());
    }
}
