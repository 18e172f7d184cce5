package org.tasktube;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Each promise names its test, for each fault. */
class PromisesTest {

    private static final Path PAGE = Documents.ROOT.resolve("docs/promises.md");

    private static final List<String> PROMISES = List.of(
            "put",
            "take",
            "ack",
            "release",
            "order",
            "sub-queue order",
            "capacity",
            "unique key",
            "ttl",
            "ttr",
            "delay",
            "result",
            "session",
            "temporary tube",
            "operation on many tasks",
            "history");

    private static final List<String> FAULTS = List.of(
            "server killed",
            "database killed",
            "network frozen",
            "commit's answer lost",
            "failover, synchronous",
            "failover, asynchronous",
            "crash between prepare and commit",
            "clock step",
            "frozen server",
            "transaction timeout",
            "full disk");

    private static final Pattern CELL = Pattern.compile("\\[[^\\]]+\\]\\[([a-z-]+)\\]");

    /** A reference of Markdown: a file, and a method of it as the title. */
    private static final Pattern REFERENCE = Pattern.compile("(?m)^\\[([a-z-]+)\\]: (\\S+) \"(\\w+)\"$");

    private static final List<List<String>> TABLE = table();

    /** The last table of the page, without the line below its head. */
    private static List<List<String>> table() {
        List<List<String>> rows = new ArrayList<>();
        Documents.read(PAGE).lines().filter(line -> line.startsWith("|")).forEach(line -> {
            List<String> cells = Arrays.stream(line.substring(1).split("\\|"))
                    .map(String::strip)
                    .toList();
            if (cells.size() > FAULTS.size() && !cells.get(0).equals("---")) {
                rows.add(cells);
            }
        });
        return rows;
    }

    @Test
    void the_table_has_each_promise_and_each_fault() {
        assertThat(TABLE.get(0).subList(1, TABLE.get(0).size())).isEqualTo(FAULTS);
        assertThat(TABLE.subList(1, TABLE.size())).extracting(row -> row.get(0)).isEqualTo(PROMISES);
        assertThat(Documents.read(PAGE).lines())
                .filteredOn(line -> PROMISES.stream().anyMatch(each -> line.startsWith("| " + each + " | ")))
                .hasSize(2 * PROMISES.size());
    }

    @Test
    void each_cell_names_a_test_that_is_there() {
        Map<String, String> missing = new HashMap<>();
        Map<String, MatchResult> references = new HashMap<>();
        REFERENCE.matcher(Documents.read(PAGE)).results().forEach(each -> references.put(each.group(1), each));
        for (List<String> row : TABLE.subList(1, TABLE.size())) {
            assertThat(row).hasSize(FAULTS.size() + 1);
            for (int i = 0; i < FAULTS.size(); i++) {
                if (!isTested(row.get(i + 1), references)) {
                    missing.put(row.get(0) + ", " + FAULTS.get(i), row.get(i + 1));
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    private static boolean isTested(String cell, Map<String, MatchResult> references) {
        return CELL.matcher(cell)
                .results()
                .map(found -> references.get(found.group(1)))
                .anyMatch(reference -> reference != null && isTest(reference.group(2), reference.group(3)));
    }

    private static boolean isTest(String file, String method) {
        Path source = PAGE.resolveSibling(file).normalize();
        return Files.exists(source)
                && Pattern.compile("@(Test|ParameterizedTest)\\b[^;{]*void " + method + "\\(")
                        .matcher(Documents.read(source).replaceAll("\\{[^{}]*\\}", ""))
                        .find();
    }
}
