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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * The contract: each rule with every type of tubes, in every store, in JTA and outside, as far as it applies.
 * docs/rules.md lists the rules, and target/rules-matrix.md has the cases that each one ran in.
 */
class RulesTest {

    private static final List<RuleGroup> GROUPS = List.of(
            new StateRules(),
            new TubeRules(),
            new DriverRules(),
            new PutRules(),
            new HeaderRules(),
            new TakeRules(),
            new HolderRules(),
            new ResultRules(),
            new SubQueueRules(),
            new TransactionRules(),
            new SessionRules(),
            new StatisticsRules(),
            new TaskChangeRules(),
            new ModeRules(),
            new AdminRules());

    private static final Path PAGE = Path.of("..", "..", "docs", "rules.md");
    private static final Path MATRIX = Path.of("target", "rules-matrix.md");
    private static final String WRITE = "rules.write";

    private static final Map<TestDatabase, Environment> UNSHARED = new ConcurrentHashMap<>();
    private static final Map<TestDatabase, Environment> OF_TWO = new ConcurrentHashMap<>();

    @AfterAll
    static void close() {
        UNSHARED.values().forEach(Environment::close);
        OF_TWO.values().forEach(Environment::close);
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicContainer> rules() {
        return GROUPS.stream()
                .map(group ->
                        dynamicContainer(group.heading(), group.rules().stream().map(RulesTest::tests)));
    }

    private static DynamicContainer tests(Rule rule) {
        return dynamicContainer(rule.text(), rule.variants().map(variant -> test(rule, variant)));
    }

    private static DynamicTest test(Rule rule, Variant variant) {
        return dynamicTest(variant.toString(), () -> {
            try (Scenario scenario = new Scenario(variant, environment(rule, variant))) {
                rule.body().holds(scenario);
            } catch (Exception | AssertionError e) {
                // Maven shows a dynamic test as a row of numbers, and no causes
                throw new AssertionError(rule.text() + " — " + variant + ": " + e, e);
            }
        });
    }

    private static Environment environment(Rule rule, Variant variant) {
        TestDatabase database = variant.store().database();
        return rule.twoServers()
                ? OF_TWO.computeIfAbsent(database, Environment::ofTwo)
                : UNSHARED.computeIfAbsent(database, Environment::new);
    }

    @Test
    @Tag("writes-docs")
    void the_page_in_docs_has_each_rule_and_what_it_applies_to() throws IOException {
        String page = new RulesPage(GROUPS).toString();
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
                .as("docs/rules.md; mvn -Prules writes it anew")
                .isEqualTo(page);
    }

    @Test
    @Tag("writes-docs")
    void the_matrix_in_target_has_each_run() throws IOException {
        Files.createDirectories(MATRIX.getParent());
        Files.writeString(MATRIX, new RulesMatrix(GROUPS).toString());
        assertThat(MATRIX).isNotEmptyFile();
    }
}
