package org.tasktube;

import java.util.Objects;

/**
 * One of several tasks that {@link Tube#putAll(java.util.List)} puts together, with its own options.
 *
 * @param data bytes, text, or an object that JSON-B can map
 * @param options the task's options
 */
public record PutItem(Object data, PutOptions options) {

    public PutItem {
        Objects.requireNonNull(data, "data");
        Objects.requireNonNull(options, "options");
    }

    /** Returns an item with the tube's defaults. */
    public static PutItem of(Object data) {
        return new PutItem(data, PutOptions.defaults());
    }

    /** Returns an item with options of its own. */
    public static PutItem of(Object data, PutOptions options) {
        return new PutItem(data, options);
    }
}
