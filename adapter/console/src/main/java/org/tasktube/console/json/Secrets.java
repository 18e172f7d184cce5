package org.tasktube.console.json;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.admin.FilterCondition;
import org.tasktube.admin.FilterField;
import org.tasktube.admin.TaskFilter;

/** Finds the values of data, headers and filters that a user without the right must not see. */
public final class Secrets {

    /** Stands for a hidden value. */
    public static final String HIDDEN = "•••• hidden";

    /** A name is secret if it has one of these, without its marks between words. */
    private static final List<String> PARTS = List.of(
            "password",
            "passwd",
            "passphrase",
            "secret",
            "token",
            "apikey",
            "privatekey",
            "accesskey",
            "credential",
            "authorization",
            "cookie",
            "card",
            "iban");

    /** A name is secret if one of its words is one of these. They are too short to be looked for inside of words. */
    private static final Set<String> WORDS = Set.of("pwd", "pass", "pin", "cvv", "cvc", "pan", "ssn", "otp");

    /** Further parts of names, with commas between them. */
    private static final String CONFIGURED = "tasktube.console.secret-names";

    private static final Pattern BETWEEN_WORDS = Pattern.compile("[^\\p{L}\\p{N}]+|(?<=\\p{Ll})(?=\\p{Lu})"
            + "|(?<=\\p{Lu})(?=\\p{Lu}\\p{Ll})|(?<=\\p{L})(?=\\p{N})|(?<=\\p{N})(?=\\p{L})");
    private static final Pattern MARKS = Pattern.compile("[^\\p{L}\\p{N}]+");

    /** The members of a pair that have its value. */
    private static final Set<String> VALUES = Set.of("value", "values", "val", "v", "content", "text");

    private Secrets() {}

    /** Returns whether values of this name are hidden; case, and marks between words, do not count. */
    public static boolean isSecret(String name) {
        String joined = MARKS.matcher(name).replaceAll("").toLowerCase(Locale.ROOT);
        return Stream.concat(PARTS.stream(), configured()).anyMatch(joined::contains)
                || BETWEEN_WORDS.splitAsStream(name).anyMatch(word -> WORDS.contains(word.toLowerCase(Locale.ROOT)));
    }

    private static Stream<String> configured() {
        return Stream.of(System.getProperty(CONFIGURED, "").split(",", -1))
                .map(part -> MARKS.matcher(part).replaceAll("").toLowerCase(Locale.ROOT))
                .filter(part -> !part.isEmpty());
    }

    /** Returns whether a member is the value of a pair of a name and a value. */
    static boolean isValueOfPair(String member) {
        return VALUES.contains(member.toLowerCase(Locale.ROOT));
    }

    /** Returns whether a name inside data leads to the value of a pair, which may be an element of an array. */
    private static boolean isOfPair(String name) {
        return isValueOfPair(name) || name.chars().allMatch(Character::isDigit);
    }

    /**
     * Returns whether a condition could find out a hidden value. It may read all data as text, a secret member or the
     * value of a pair. By a pattern it may read a text that has further data in it.
     */
    public static boolean areReadBy(FilterCondition condition) {
        List<String> path = condition.path();
        return condition.field() == FilterField.TEXT
                || (condition.field() == FilterField.DATA
                        && (path.isEmpty()
                                || path.stream().anyMatch(Secrets::isSecret)
                                || path.stream().anyMatch(Secrets::isOfPair)
                                || (condition.texts().isEmpty()
                                        && !condition.values().equals(List.of("*")))));
    }

    /** Returns the text of a filter, in which the values of secret names are hidden. */
    public static String hide(TaskFilter filter) {
        return filter.conditions().stream()
                .map(condition -> areReadBy(condition) ? hide(condition) : condition)
                .map(FilterCondition::toString)
                .collect(Collectors.joining(" "));
    }

    private static FilterCondition hide(FilterCondition condition) {
        return new FilterCondition(
                condition.field(), condition.path(), condition.comparison(), List.of(HIDDEN), condition.negated());
    }

    /**
     * Returns JSON with hidden values.
     *
     * @throws NotJsonException if the text is no JSON, so that its names cannot be found
     */
    public static Optional<String> hide(String text) throws NotJsonException {
        return new SecretsInJson(text).hidden();
    }

    /** Returns texts by their names with hidden values. */
    public static Map<String, String> hide(Map<String, String> texts) {
        Map<String, String> shown = new LinkedHashMap<>();
        texts.forEach(
                (name, value) -> shown.put(name, isSecret(name) || SecretsInJson.hasSecrets(value) ? HIDDEN : value));
        return shown;
    }

    /** The data is no JSON. */
    public static final class NotJsonException extends Exception {
        private static final long serialVersionUID = 1;

        NotJsonException(int position) {
            super("no JSON at " + position);
        }
    }
}
