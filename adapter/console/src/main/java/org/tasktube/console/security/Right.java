package org.tasktube.console.security;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The rights, the smallest first. The role of a right has all smaller rights as well. A role with the name of a tube
 * after it, as {@code tasktube-operator:orders}, has them for that tube, if the user may log in at all.
 */
public enum Right {
    /** Sees tubes, tasks and failures. Values of secret names are hidden. */
    VIEW("tasktube-viewer"),
    /** Puts tasks, changes tasks, pauses, drains and resumes tubes. */
    OPERATE("tasktube-operator"),
    /** Creates, truncates and drops tubes. */
    ADMIN("tasktube-admin");

    private final String role;

    Right(String role) {
        this.role = role;
    }

    /** Returns the name of the role that has this right. */
    public String role() {
        return role;
    }

    /** Returns whether this right has another one too. */
    public boolean implies(Right other) {
        return compareTo(other) >= 0;
    }

    /** Returns the greatest right of a user; empty if the user has no role. */
    public static Optional<Right> of(Predicate<String> isInRole) {
        return Arrays.stream(values())
                .filter(right -> isInRole.test(right.role))
                .reduce((smaller, greater) -> greater);
    }

    /** Returns the greatest right of a user on a tube; empty if the user has no role. */
    public static Optional<Right> of(Predicate<String> isInRole, String tube) {
        return of(isInRole).map(everywhere -> of(role -> isInRole.test(role + ":" + tube))
                .filter(here -> here.implies(everywhere))
                .orElse(everywhere));
    }

    /** Returns this right and all smaller ones. */
    public List<Right> all() {
        return Arrays.stream(values()).filter(this::implies).toList();
    }
}
