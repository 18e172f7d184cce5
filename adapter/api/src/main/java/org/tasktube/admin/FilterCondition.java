package org.tasktube.admin;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.tasktube.DataPath;

/**
 * One condition of a {@link TaskFilter}: a field, a comparison, and the values of which one must fit.
 *
 * @param field the field
 * @param path the names inside JSON data, from the outermost; empty for the data as a whole and for other fields
 * @param comparison the comparison
 * @param values the values as written, without quotes, at least one; exactly one unless the comparison is
 *     {@link Comparison#IS}. In a text, {@code *} stands for any text, and a backslash makes it, or a backslash, an
 *     ordinary one
 * @param negated true if no value may fit
 */
public record FilterCondition(
        FilterField field, List<String> path, Comparison comparison, List<String> values, boolean negated) {

    /** A value that needs no quotes. One that begins with a sign could be read as part of the comparison. */
    private static final Pattern PLAIN_VALUE = Pattern.compile("[^\\s\",<>=:][^\\s\",]*");

    /** The comparisons of a field with a value. */
    public enum Comparison {
        /** The field is the value, in which {@code *} stands for any text; written {@code :}. */
        IS(":"),
        LESS("<"),
        AT_MOST("<="),
        MORE(">"),
        AT_LEAST(">=");

        private final String sign;

        Comparison(String sign) {
            this.sign = sign;
        }

        /** Returns the sign in the text of a filter. */
        public String sign() {
            return sign;
        }

        /** Returns whether a result of {@link Comparable#compareTo} of a field with a value fits. */
        boolean fits(int compared) {
            return switch (this) {
                case IS -> compared == 0;
                case LESS -> compared < 0;
                case AT_MOST -> compared <= 0;
                case MORE -> compared > 0;
                case AT_LEAST -> compared >= 0;
            };
        }

        static Optional<Comparison> of(String sign) {
            for (Comparison comparison : values()) {
                if (comparison.sign.equals(sign)) {
                    return Optional.of(comparison);
                }
            }
            return Optional.empty();
        }
    }

    public FilterCondition {
        Objects.requireNonNull(field, "field");
        path = List.copyOf(path);
        Objects.requireNonNull(comparison, "comparison");
        values = List.copyOf(values);
    }

    /** Returns the same condition on other values, as written. */
    public FilterCondition withValues(List<String> others) {
        return new FilterCondition(field, path, comparison, others, negated);
    }

    /**
     * Returns the values if each is fulfilled by one text only; empty if one has a {@code *} that stands for any text.
     */
    public Optional<List<String>> texts() {
        List<String> texts =
                values.stream().flatMap(value -> Wildcard.only(value).stream()).toList();
        return texts.size() == values.size() ? Optional.of(texts) : Optional.empty();
    }

    /** Returns the condition as it is written in a filter. */
    @Override
    public String toString() {
        String names = path.isEmpty() ? "" : "." + new DataPath(path);
        return (negated ? "-" : "")
                + field.label()
                + names
                + comparison.sign()
                + values.stream().map(FilterCondition::value).collect(Collectors.joining(","));
    }

    private static String value(String pattern) {
        if (PLAIN_VALUE.matcher(pattern).matches()) {
            return pattern;
        }
        StringBuilder text = new StringBuilder().append('"');
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (Wildcard.isEscape(pattern, i)) {
                text.append(c);
                i++;
            } else if (c == '\\' || c == '"') {
                text.append('\\');
            }
            text.append(pattern.charAt(i));
        }
        return text.append('"').toString();
    }
}
