package org.tasktube.store.sql;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.tasktube.Fingerprint;

/**
 * The kind of a failure whose row is missing, by the texts that a task keeps. They were cut, so the parts are those
 * that can be read in them. The id stays the one that the task has.
 */
final class RestoredKind {

    private static final String CAUSE = "caused by ";
    private static final String FRAME = "  at ";

    private RestoredKind() {}

    static Fingerprint of(long number, String type, String message, String trace) {
        // A row that came by SQL can lack it
        List<String> lines = Objects.requireNonNullElse(trace, "").lines().toList();
        List<String> chain =
                lines.stream().takeWhile(line -> !line.startsWith(FRAME)).toList();
        Optional<String> root = chain.stream()
                .filter(line -> line.startsWith(CAUSE))
                .reduce((one, next) -> next)
                .map(line -> line.substring(CAUSE.length()));
        Fingerprint parts = root.isEmpty()
                ? Fingerprint.of(type, "", frame(lines), message)
                : Fingerprint.of(type, named(root.get())[0], frame(lines), named(root.get())[1]);
        return new Fingerprint(Fingerprint.hex(number), parts.type(), parts.cause(), parts.frame(), parts.message());
    }

    /** Returns the class and the message of a line of the chain. */
    private static String[] named(String line) {
        int colon = line.indexOf(": ");
        return colon < 0 ? new String[] {line, ""} : new String[] {line.substring(0, colon), line.substring(colon + 2)};
    }

    /** Returns class and method of the first frame, without the modules that may precede them. */
    private static String frame(List<String> lines) {
        String first = lines.stream()
                .filter(line -> line.startsWith(FRAME))
                .findFirst()
                .map(line -> line.substring(FRAME.length()))
                .orElse("");
        int bracket = first.indexOf('(');
        String name = bracket < 0 ? first : first.substring(0, bracket);
        return name.substring(name.lastIndexOf('/') + 1);
    }
}
