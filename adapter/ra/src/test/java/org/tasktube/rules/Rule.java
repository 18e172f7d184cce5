package org.tasktube.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.tasktube.itest.watchdog.FullRun;
import org.tasktube.spi.TubeOption;

/**
 * A sentence of the contract, the test of it, and the variants that the test runs in. Immutable; each method returns a
 * changed copy.
 *
 * @param text the sentence
 * @param twoServers whether it is about two servers on one database; any other rule has its server to itself, and so
 *     all counts and notifications
 * @param needed the options that a type needs for the rule to apply to it
 * @param exclusions the variants that it does not run in, each with the reason
 */
record Rule(String text, Body body, boolean twoServers, List<TubeOption> needed, List<Exclusion> exclusions) {

    /** The test of a rule in one variant. */
    @FunctionalInterface
    interface Body {
        void holds(Scenario scenario) throws Exception;
    }

    /**
     * Variants that a rule does not run in.
     *
     * @param applies whether the rule applies to them all the same, and another variant stands for them
     */
    record Exclusion(Predicate<Variant> where, boolean applies, String because) {}

    static Rule rule(String text, Body body) {
        return new Rule(text, body, false, List.of(), List.of());
    }

    Rule onTwoServers() {
        return new Rule(text, body, true, needed, exclusions);
    }

    /** Applies to types with these options only. */
    Rule needs(TubeOption... options) {
        Rule rule = this;
        for (TubeOption option : options) {
            rule = rule.needs(option);
        }
        return rule;
    }

    private Rule needs(TubeOption option) {
        List<TubeOption> more = new ArrayList<>(needed);
        more.add(option);
        return new Rule(text, body, twoServers, List.copyOf(more), exclusions)
                .except(variant -> !variant.type().has(option), "the type has no " + option.option());
    }

    Rule only(Mode mode, String because) {
        return except(variant -> variant.mode() != mode, because);
    }

    Rule only(Store store, String because) {
        return except(variant -> variant.store() != store, because);
    }

    Rule only(Type type, String because) {
        return except(variant -> variant.type() != type, because);
    }

    Rule not(Store store, String because) {
        return except(variant -> variant.store() == store, because);
    }

    Rule not(Set<Type> types, String because) {
        return except(variant -> types.contains(variant.type()), because);
    }

    /** Runs with one type, which stands for all that the rule applies to. */
    Rule testedWith(Type type, String because) {
        return with(new Exclusion(variant -> variant.type() != type, true, because));
    }

    /** Runs in one store, which stands for all that the rule applies to. */
    Rule testedWith(Store store, String because) {
        return with(new Exclusion(variant -> variant.store() != store, true, because));
    }

    private Rule except(Predicate<Variant> where, String because) {
        return with(new Exclusion(where, false, because));
    }

    private Rule with(Exclusion exclusion) {
        List<Exclusion> more = new ArrayList<>(exclusions);
        more.add(exclusion);
        return new Rule(text, body, twoServers, needed, List.copyOf(more));
    }

    /** Returns the variants that {@code -Pfull} runs it in. */
    Stream<Variant> variants() {
        return Variant.ALL.stream().filter(variant -> whyNot(variant).isEmpty());
    }

    /** Returns the variants that this run of the tests runs it in. */
    Stream<Variant> runs() {
        return FullRun.is() ? variants() : pairs();
    }

    /** Returns enough variants for each pair of a type, a store and a mode. */
    Stream<Variant> pairs() {
        return Variant.pairs(variants().toList());
    }

    /** Returns the variants that it applies to. */
    Stream<Variant> appliesTo() {
        return Variant.ALL.stream().filter(variant -> exclusions.stream()
                .filter(exclusion -> !exclusion.applies())
                .noneMatch(exclusion -> exclusion.where().test(variant)));
    }

    /** Returns the reason why it does not run in a variant; empty if it does. */
    Optional<String> whyNot(Variant variant) {
        return exclusions.stream()
                .filter(exclusion -> exclusion.where().test(variant))
                .map(Exclusion::because)
                .findFirst();
    }
}
