package org.tasktube.admin;

import java.math.BigDecimal;
import java.util.Optional;
import org.tasktube.DataPath;
import org.tasktube.TaskData;

/**
 * The texts by which an index finds tasks with a value in their data. All values that a condition of a filter takes for
 * equal have the same text: {@code 5}, {@code 5.0} and {@code "5"}. Other values may have it as well, so the filter
 * decides.
 */
public final class IndexedText {

    private IndexedText() {}

    /**
     * Returns the text of the value of a path in the data of a task; empty if it has no such value, or if that is an
     * object or an array.
     */
    public static Optional<String> in(TaskData data, DataPath path) {
        return DataValues.single(path, data).map(IndexedText::of);
    }

    /** Returns the text of a value that a condition of a filter names, without a {@code *}. */
    public static String of(String value) {
        return FieldValues.decimal(value)
                .map(BigDecimal::stripTrailingZeros)
                .map(BigDecimal::toString)
                .orElse(value);
    }
}
