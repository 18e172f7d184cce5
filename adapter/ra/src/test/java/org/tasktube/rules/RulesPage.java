package org.tasktube.rules;

import java.util.List;
import java.util.stream.Collectors;

/** The rules, and the variants that each one applies to: target/rules.md. */
record RulesPage(List<RuleGroup> groups) {

    private static final String HEAD = """
            # Rules

            Which rules does TaskTube keep, and to which tubes does each one apply?

            The classes of the package `rules` in `adapter/ra` test these %d rules by %d runs. In them each
            type that a rule applies to meets each of its stores and modes, and each store each mode.
            `mvn verify -Pfull` runs all %d cases. `RulesTest` writes this page, and the cases of
            a run to `rules-matrix.md` beside it.

            | applies to | meaning |
            | --- | --- |
            | all | every type of tubes; on H2, on PostgreSQL and temporary; in a JTA transaction and outside one |
            | a type; types with an option | only these types; docs/states.md has their options |
            | `lifo` | a driver of the tests, with pri, ttl, ttr and delay: the newest task is first |
            | H2, PostgreSQL | only tubes that are not temporary |
            | memory | only temporary tubes |
            | in a transaction | only calls in a JTA transaction |
            | outside a transaction | only calls outside one |
            | tested: … | the test runs in this case only, which stands for all that the rule applies to |
            """;

    @Override
    public String toString() {
        List<Rule> rules =
                groups.stream().flatMap(group -> group.rules().stream()).toList();
        long runs = rules.stream().flatMap(Rule::pairs).count();
        long cases = rules.stream().flatMap(Rule::variants).count();
        return HEAD.formatted(rules.size(), runs, cases)
                + groups.stream().map(RulesPage::section).collect(Collectors.joining());
    }

    private static String section(RuleGroup group) {
        return "\n## " + group.heading() + "\n\n| rule | applies to |\n| --- | --- |\n"
                + group.rules().stream()
                        .map(rule -> "| " + rule.text() + " | " + Scope.words(rule) + " |\n")
                        .collect(Collectors.joining());
    }
}
