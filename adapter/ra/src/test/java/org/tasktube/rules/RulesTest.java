package org.tasktube.rules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * The contract: each rule of SEMANTICS.md on every type of tubes, in every store, in JTA and outside, where it says
 * something. docs/rules.md is the table of it.
 */
class RulesTest {

    private static final List<Chapter> CHAPTERS = List.of(
            new StateRules(),
            new TubeRules(),
            new DriverRules(),
            new PutRules(),
            new TakeRules(),
            new HolderRules(),
            new ResultRules(),
            new SubQueueRules(),
            new TransactionRules(),
            new SessionRules(),
            new StatisticsRules(),
            new TaskChangeRules());

    private static final Path TABLE = Path.of("..", "..", "docs", "rules.md");
    private static final String WRITE = "rules.write";

    private static final Map<TestDatabase, Ground> ALONE = new ConcurrentHashMap<>();
    private static final Map<TestDatabase, Ground> OF_TWO = new ConcurrentHashMap<>();

    @AfterAll
    static void close() {
        ALONE.values().forEach(Ground::close);
        OF_TWO.values().forEach(Ground::close);
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicContainer> rules() {
        return CHAPTERS.stream()
                .map(chapter -> dynamicContainer(
                        chapter.heading(), chapter.rules().stream().map(RulesTest::tests)));
    }

    private static DynamicContainer tests(Rule rule) {
        return dynamicContainer(rule.text(), rule.cells().map(cell -> test(rule, cell)));
    }

    private static DynamicTest test(Rule rule, Cell cell) {
        return dynamicTest(cell.toString(), () -> {
            try (Trial trial = new Trial(cell, ground(rule, cell))) {
                rule.body().holds(trial);
            } catch (Exception | AssertionError e) {
                // Maven shows a dynamic test as a row of numbers
                throw new AssertionError(rule.text() + " — " + cell, e);
            }
        });
    }

    private static Ground ground(Rule rule, Cell cell) {
        TestDatabase database = cell.store().database();
        return rule.twoServers()
                ? OF_TWO.computeIfAbsent(database, Ground::ofTwo)
                : ALONE.computeIfAbsent(database, Ground::new);
    }

    @Test
    void the_table_in_docs_is_what_is_run() throws IOException {
        String table = new RulesTable(CHAPTERS).toString();
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(TABLE, table);
        }
        assertThat(Files.exists(TABLE) ? Files.readString(TABLE) : "")
                .as("docs/rules.md; to write it anew: mvn -pl adapter/api,adapter/ra test -Dtest=RulesTest"
                        + " -Dsurefire.failIfNoSpecifiedTests=false -D" + WRITE + "=true")
                .isEqualTo(table);
    }
}
