package org.tasktube.rules;

import java.util.List;
import java.util.stream.Stream;

/** One run of a rule. */
record Cell(Type type, Store store, Mode mode) {

    static final List<Cell> ALL = Stream.of(Store.values())
            .flatMap(store -> Stream.of(Type.values())
                    .flatMap(type -> Stream.of(Mode.values()).map(mode -> new Cell(type, store, mode))))
            .toList();

    @Override
    public String toString() {
        return type + ", " + store + ", " + mode;
    }
}
