package org.tasktube.rules;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.spi.TubeOption;

/** Variants as the product of types, stores and modes, and the shortest exact words for them. */
record Scope(Set<Type> types, Set<Store> stores, Set<Mode> modes) {

    private static final int NAMED_TYPES = 2;

    static Scope of(List<Variant> variants) {
        Set<Type> types = EnumSet.noneOf(Type.class);
        Set<Store> stores = EnumSet.noneOf(Store.class);
        Set<Mode> modes = EnumSet.noneOf(Mode.class);
        variants.forEach(variant -> {
            types.add(variant.type());
            stores.add(variant.store());
            modes.add(variant.mode());
        });
        Scope scope = new Scope(types, stores, modes);
        if (scope.size() != variants.size()) {
            throw new IllegalArgumentException("no product of types, stores and modes: " + variants);
        }
        return scope;
    }

    private int size() {
        return types.size() * stores.size() * modes.size();
    }

    /** Returns the words for the variants that a rule applies to, and for those of them that stand for all. */
    static String words(Rule rule) {
        Scope applies = of(rule.appliesTo().toList());
        Scope runs = of(rule.variants().toList());
        String words = applies.words(rule.needed());
        return runs.equals(applies) ? words : words + "; tested: " + runs.differenceTo(applies);
    }

    private String words(List<TubeOption> needed) {
        List<String> parts = new ArrayList<>();
        if (types.size() < Type.values().length) {
            parts.add(typeWords(needed));
        }
        if (stores.size() < Store.values().length) {
            parts.add(joined(stores));
        }
        if (modes.size() < Mode.values().length) {
            parts.add(joined(modes));
        }
        return parts.isEmpty() ? "all" : String.join("; ", parts);
    }

    private String typeWords(List<TubeOption> needed) {
        if (types.size() <= NAMED_TYPES || needed.isEmpty()) {
            return names(types);
        }
        Set<Type> missing = EnumSet.copyOf(List.of(Type.values()));
        missing.removeIf(type -> types.contains(type) || !needed.stream().allMatch(type::has));
        String with = "types with " + needed.stream().map(TubeOption::option).collect(Collectors.joining(", "));
        return missing.isEmpty() ? with : with + ", except " + names(missing);
    }

    private static String names(Set<Type> types) {
        return types.stream().map(type -> "`" + type + "`").collect(Collectors.joining(", "));
    }

    private static String joined(Set<?> values) {
        return values.stream().map(Object::toString).collect(Collectors.joining(", "));
    }

    private String differenceTo(Scope whole) {
        return Stream.of(
                        types.equals(whole.types) ? "" : names(types),
                        stores.equals(whole.stores) ? "" : joined(stores),
                        modes.equals(whole.modes) ? "" : joined(modes))
                .filter(words -> !words.isEmpty())
                .collect(Collectors.joining("; "));
    }
}
