package org.tasktube.rules;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tasktube.testing.TestDatabase;

import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/** The rules under one heading, in the order of the page, and the tests of them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RuleGroup {

    /** Whether the first case of a group that fails is the last one: one is enough to find a mutant. */
    private static final boolean FAIL_FAST = Boolean.getBoolean("fail.fast");

    private volatile boolean failed;

    private final Map<TestDatabase, Environment> unshared = new ConcurrentHashMap<>();
    private final Map<TestDatabase, Environment> ofTwo = new ConcurrentHashMap<>();

    abstract String heading();

    abstract List<Rule> rules();

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicContainer> tests() {
        return rules().stream()
                .map(rule -> dynamicContainer(rule.text(), rule.runs().map(variant -> test(rule, variant))));
    }

    private DynamicTest test(Rule rule, Variant variant) {
        return dynamicTest(variant.toString(), () -> {
            assumeFalse(FAIL_FAST && failed, "another case has failed");
            try (Scenario scenario = new Scenario(variant, environment(rule, variant))) {
                rule.body().holds(scenario);
            } catch (Exception | AssertionError e) {
                failed = true;
                // Maven shows a dynamic test as a row of numbers, and no causes
                throw new AssertionError(rule.text() + " — " + variant + ": " + e, e);
            }
        });
    }

    private Environment environment(Rule rule, Variant variant) {
        TestDatabase database = variant.store().database();
        return rule.twoServers()
                ? ofTwo.computeIfAbsent(database, Environment::ofTwo)
                : unshared.computeIfAbsent(database, Environment::new);
    }

    @AfterAll
    void close() {
        unshared.values().forEach(Environment::close);
        ofTwo.values().forEach(Environment::close);
    }
}
