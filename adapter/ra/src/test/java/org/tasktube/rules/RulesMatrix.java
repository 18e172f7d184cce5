package org.tasktube.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The cases that each rule runs in, as one large table per group: a result of the build. */
final class RulesMatrix {

    private static final String PAIRED = "-";
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";

    private final List<RuleGroup> groups;
    private final List<String> reasons = new ArrayList<>();

    RulesMatrix(List<RuleGroup> groups) {
        this.groups = groups;
    }

    @Override
    public String toString() {
        reasons.clear();
        String tables = groups.stream().map(this::table).collect(Collectors.joining("\n"));
        return head() + legend() + tables;
    }

    private String head() {
        List<Rule> rules =
                groups.stream().flatMap(group -> group.rules().stream()).toList();
        long runs = rules.stream().flatMap(Rule::runs).count();
        return "# The runs of each rule\n\n"
                + "Written by `RulesTest` in `adapter/ra`: " + rules.size() + " rules, " + runs + " runs.\n"
                + "**" + Mode.IN_JTA.letter() + "** is a run " + Mode.IN_JTA + ", **" + Mode.OUTSIDE.letter()
                + "** a run " + Mode.OUTSIDE + ".\n"
                + "**" + PAIRED
                + "** is a run that other pairs of the same type, store and mode stand for; `-Pfull` has it.\n"
                + "A small letter is the reason why a rule does not run there.\n\n";
    }

    /** The letters are given out as the tables need them. */
    private String legend() {
        groups.forEach(this::table);
        return "| | why not |\n| --- | --- |\n"
                + reasons.stream()
                        .map(reason -> "| " + letter(reason) + " | " + reason + " |\n")
                        .collect(Collectors.joining())
                + "\n";
    }

    private String table(RuleGroup group) {
        return "## " + group.heading() + "\n" + header()
                + group.rules().stream().map(this::row).collect(Collectors.joining());
    }

    private static String header() {
        String titles =
                columns().map(column -> column.type() + "<br>" + column.store()).collect(Collectors.joining(" | "));
        return "| | " + titles + " |\n| --- |" + " --- |".repeat((int) columns().count()) + "\n";
    }

    private String row(Rule rule) {
        return "| " + rule.text() + " | "
                + columns().map(column -> entry(rule, column)).collect(Collectors.joining(" | ")) + " |\n";
    }

    /** A type in a store. */
    private record Column(Type type, Store store) {}

    private static Stream<Column> columns() {
        return Stream.of(Type.values())
                .flatMap(type -> Stream.of(Store.values()).map(store -> new Column(type, store)));
    }

    private String entry(Rule rule, Column column) {
        Set<Variant> runs = rule.runs().collect(Collectors.toSet());
        return Stream.of(Mode.values())
                .map(mode -> new Variant(column.type(), column.store(), mode))
                .map(variant -> rule.whyNot(variant)
                        .map(this::letter)
                        .orElse(runs.contains(variant) ? variant.mode().letter() : PAIRED))
                .distinct()
                .collect(Collectors.joining(" "));
    }

    private String letter(String reason) {
        if (!reasons.contains(reason)) {
            reasons.add(reason);
        }
        return letter(reasons.indexOf(reason));
    }

    /** Returns a to z, then aa, ab and so on. */
    private static String letter(int index) {
        String last = LETTERS.substring(index % LETTERS.length(), index % LETTERS.length() + 1);
        return index < LETTERS.length() ? last : letter(index / LETTERS.length() - 1) + last;
    }
}
