package org.tasktube.rules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages of the contract: target/rules.md lists the rules, and target/rules-matrix.md has the cases that each one ran
 * in. Each {@link RuleGroup} tests its own rules.
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
            new LimitRules(),
            new AfterRules(),
            new CancelRules(),
            new AdminRules());

    private static final Path TARGET = Path.of("target");

    @Test
    void each_type_of_a_rule_meets_each_database_and_mode_and_each_store_each_mode() {
        for (RuleGroup group : GROUPS) {
            for (Rule rule : group.rules()) {
                assertThat(pairs(rule.pairs())).as(rule.text()).containsAll(pairs(rule.variants()));
            }
        }
    }

    private static Set<Set<Object>> pairs(Stream<Variant> runs) {
        return runs.flatMap(run -> Stream.<Set<Object>>of(
                        Set.of(run.type(), run.store().database()),
                        Set.of(run.type(), run.mode()),
                        Set.of(run.store(), run.mode())))
                .collect(Collectors.toSet());
    }

    @Test
    void the_pages_in_target_have_each_rule_and_each_run() throws IOException {
        Files.createDirectories(TARGET);
        Files.writeString(TARGET.resolve("rules.md"), new RulesPage(GROUPS).toString());
        Files.writeString(TARGET.resolve("rules-matrix.md"), new RulesMatrix(GROUPS).toString());
        assertThat(TARGET.resolve("rules.md")).content().contains("| From READY: take → TAKEN;");
        assertThat(TARGET.resolve("rules-matrix.md")).isNotEmptyFile();
    }
}
