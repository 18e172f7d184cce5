package org.tasktube.rules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages of the contract: docs/rules.md lists the rules, and target/rules-matrix.md has the cases that each one ran
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
            new AdminRules());

    private static final Path PAGE = Path.of("..", "..", "docs", "rules.md");
    private static final Path MATRIX = Path.of("target", "rules-matrix.md");
    private static final String WRITE = "rules.write";

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
    void each_type_of_a_rule_meets_each_store_and_mode_and_each_store_each_mode() {
        for (RuleGroup group : GROUPS) {
            for (Rule rule : group.rules()) {
                assertThat(pairs(rule.pairs())).as(rule.text()).isEqualTo(pairs(rule.variants()));
            }
        }
    }

    private static Set<Set<Object>> pairs(Stream<Variant> runs) {
        return runs.flatMap(run -> Stream.<Set<Object>>of(
                        Set.of(run.type(), run.store()),
                        Set.of(run.type(), run.mode()),
                        Set.of(run.store(), run.mode())))
                .collect(Collectors.toSet());
    }

    @Test
    @Tag("writes-docs")
    void the_matrix_in_target_has_each_run() throws IOException {
        Files.createDirectories(MATRIX.getParent());
        Files.writeString(MATRIX, new RulesMatrix(GROUPS).toString());
        assertThat(MATRIX).isNotEmptyFile();
    }
}
