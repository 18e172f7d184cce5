package org.tasktube.rules;

import java.util.List;
import java.util.stream.Stream;

/** One run of a rule. */
record Variant(Type type, Store store, Mode mode) {

    static final List<Variant> ALL = Stream.of(Store.values())
            .flatMap(store -> Stream.of(Type.values())
                    .flatMap(type -> Stream.of(Mode.values()).map(mode -> new Variant(type, store, mode))))
            .toList();

    @Override
    public String toString() {
        return type + ", " + store + ", " + mode;
    }
}
