package org.tasktube.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.tasktube.admin.FilterCondition.Comparison;

/** Reads the text of a filter: conditions with white space between them. */
final class FilterParser {

    private static final String SIGNS = ":<>=";

    private final String text;
    private int at;

    FilterParser(String text) {
        this.text = text;
    }

    List<FilterCondition> conditions() {
        List<FilterCondition> conditions = new ArrayList<>();
        skipSpace();
        while (at < text.length()) {
            conditions.add(condition());
            skipSpace();
        }
        return conditions;
    }

    private void skipSpace() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private FilterCondition condition() {
        int start = at;
        boolean negated = skip('-');
        Optional<String> plain = plainWord();
        if (plain.isPresent()) {
            return new FilterCondition(FilterField.TEXT, List.of(), Comparison.IS, List.of(plain.get()), negated);
        }
        String label = word("." + SIGNS).toLowerCase(Locale.ROOT);
        FilterField field = FilterField.of(label)
                .orElseThrow(() -> new FilterException(
                        start,
                        "'" + rest(start) + "' names no field; write field:value, such as "
                                + FilterField.STATE.example() + "; the fields are " + FilterField.labels()));
        List<String> path = path(start, field);
        Comparison comparison = comparison(start, field);
        List<String> values = values(start, field);
        try {
            FilterCondition condition = new FilterCondition(field, path, comparison, values, negated);
            FieldValues.check(condition);
            return condition;
        } catch (IllegalArgumentException e) {
            throw new FilterException(start, e.getMessage());
        }
    }

    /** Returns a word or a quoted text that stands alone; empty if a field or a sign follows, and leaves that. */
    private Optional<String> plainWord() {
        int start = at;
        String word = isAt('"') ? quoted(start, true) : word(SIGNS);
        boolean isAlone = at == text.length() || Character.isWhitespace(text.charAt(at));
        String label = word.split("[.]", 2)[0].toLowerCase(Locale.ROOT);
        if (isAlone
                && !word.isEmpty()
                && (text.charAt(start) == '"' || FilterField.of(label).isEmpty())) {
            return Optional.of(word);
        }
        at = start;
        return Optional.empty();
    }

    private List<String> path(int start, FilterField field) {
        List<String> path = new ArrayList<>();
        while (skip('.')) {
            String name = isAt('"') ? quoted(start, false) : word("." + SIGNS);
            if (name.isEmpty() || field != FilterField.DATA) {
                throw new FilterException(
                        start,
                        "'" + rest(start) + "' has a dot where none belongs; only " + FilterField.DATA.example()
                                + " names a value inside the data");
            }
            path.add(name);
        }
        return path;
    }

    private Comparison comparison(int start, FilterField field) {
        int from = at;
        while (at < text.length() && SIGNS.indexOf(text.charAt(at)) >= 0 && at - from < 2) {
            at++;
        }
        // One sign, and two only if that is a comparison: the value may begin with a sign
        for (int length = at - from; length > 0; length--) {
            var found = Comparison.of(text.substring(from, from + length));
            if (found.isPresent()) {
                at = from + length;
                return found.get();
            }
        }
        throw new FilterException(
                start, "'" + rest(start) + "' has no comparison; write one of : < <= > >=, such as " + field.example());
    }

    private List<String> values(int start, FilterField field) {
        List<String> values = new ArrayList<>();
        do {
            String value = isAt('"') ? quoted(start, true) : word(",");
            if (value.isEmpty() && (at == 0 || text.charAt(at - 1) != '"')) {
                throw new FilterException(
                        start, "'" + rest(start) + "' lacks a value; write one, such as " + field.example());
            }
            values.add(value);
        } while (skip(','));
        return values;
    }

    /** Returns the characters up to white space, a quote, or one of these characters. */
    private String word(String ends) {
        int from = at;
        while (at < text.length()
                && !Character.isWhitespace(text.charAt(at))
                && text.charAt(at) != '"'
                && ends.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(from, at);
    }

    /** @param pattern true to leave what a backslash before it means to {@link Wildcard} */
    private String quoted(int start, boolean pattern) {
        StringBuilder value = new StringBuilder();
        at++;
        while (at < text.length() && text.charAt(at) != '"') {
            if (text.charAt(at) == '\\' && at + 1 < text.length()) {
                if (pattern && Wildcard.isEscape(text, at)) {
                    value.append('\\');
                }
                at++;
            }
            value.append(text.charAt(at++));
        }
        if (!skip('"')) {
            throw new FilterException(start, "'" + rest(start) + "' has no closing quote; add \"");
        }
        return value.toString();
    }

    private boolean isAt(char expected) {
        return at < text.length() && text.charAt(at) == expected;
    }

    private boolean skip(char expected) {
        boolean there = isAt(expected);
        if (there) {
            at++;
        }
        return there;
    }

    /** Returns the wrong condition as it is written, cut. */
    private String rest(int start) {
        int end = start;
        while (end < text.length() && !Character.isWhitespace(text.charAt(end)) && end - start < 60) {
            end++;
        }
        return text.substring(start, end);
    }
}
