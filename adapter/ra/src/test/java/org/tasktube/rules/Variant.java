package org.tasktube.rules;

import java.util.List;
import java.util.stream.Stream;

/** One run of a rule. */
record Variant(Type type, Store store, Mode mode) {

    static final List<Variant> ALL = Stream.of(Store.values())
            .flatMap(store -> Stream.of(Type.values())
                    .flatMap(type -> Stream.of(Mode.values()).map(mode -> new Variant(type, store, mode))))
            .toList();

    /** The types that meet temporary tubes in both modes: their tasks are rows of the same tables as all others. */
    private static final int TEMPORARY_TYPES = 2;

    /**
     * Returns enough of a product of types, stores and modes to have each pair of them, but for most types in temporary
     * tubes: half of it, or all of it if the types, the stores or the modes are one.
     */
    static Stream<Variant> pairs(List<Variant> product) {
        List<Type> types = product.stream().map(Variant::type).distinct().toList();
        List<Store> stores = product.stream().map(Variant::store).distinct().toList();
        List<Mode> modes = product.stream().map(Variant::mode).distinct().toList();
        boolean small = types.size() == 1 || stores.size() == 1 || modes.size() == 1;
        // As the white squares of a board: one step in any direction leads to a black one
        return product.stream()
                .filter(run -> small
                        || (types.indexOf(run.type) + stores.indexOf(run.store) + modes.indexOf(run.mode)) % 2 == 0)
                .filter(run -> small
                        || run.store != Store.TEMPORARY
                        || types.indexOf(run.type) < TEMPORARY_TYPES
                        || stores.size() < Store.values().length);
    }

    @Override
    public String toString() {
        return type + ", " + store + ", " + mode;
    }
}
