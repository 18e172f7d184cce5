package org.tasktube.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.tasktube.spi.TubeOption;

/**
 * A sentence of SEMANTICS.md, what shows that it holds, and where it says nothing. Immutable; each method returns a changed
 * copy.
 *
 * @param text the sentence, or the part of it that is shown
 * @param twoServers whether it is about two servers on one database; all others have theirs to themselves, which then counts
 *     and tells all that happens
 * @param exclusions where it is not run, each with the reason
 */
record Rule(String text, Body body, boolean twoServers, List<Exclusion> exclusions) {

    /** What shows that a rule holds, in one variant. */
    @FunctionalInterface
    interface Body {
        void holds(Scenario scenario) throws Exception;
    }

    /** Where a rule is not run, and why. */
    record Exclusion(Predicate<Variant> where, String because) {}

    static Rule rule(String text, Body body) {
        return new Rule(text, body, false, List.of());
    }

    Rule onTwoServers() {
        return new Rule(text, body, true, exclusions);
    }

    /** It says something of types with these options only. */
    Rule needs(TubeOption... options) {
        Rule rule = this;
        for (TubeOption option : options) {
            rule = rule.except(variant -> !variant.type().has(option), "the type has no " + option.option());
        }
        return rule;
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

    private Rule except(Predicate<Variant> where, String because) {
        List<Exclusion> more = new ArrayList<>(exclusions);
        more.add(new Exclusion(where, because));
        return new Rule(text, body, twoServers, List.copyOf(more));
    }

    Stream<Variant> variants() {
        return Variant.ALL.stream().filter(variant -> whyNot(variant).isEmpty());
    }

    /** The reason why it is not run there; empty if it is. */
    Optional<String> whyNot(Variant variant) {
        return exclusions.stream()
                .filter(exclusion -> exclusion.where().test(variant))
                .map(Exclusion::because)
                .findFirst();
    }
}
