package org.tasktube.console.security;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.List;
import java.util.Optional;
import org.tasktube.admin.FilterField;
import org.tasktube.admin.TaskFilter;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

/** The user of the request. */
@RequestScoped
public class Caller {

    @Inject
    private HttpServletRequest request;

    /** Returns the user's name; empty if the request has none. */
    public String name() {
        return Optional.ofNullable(PresentUser.of(request).getUserPrincipal())
                .map(Principal::getName)
                .orElse("");
    }

    public List<Right> rights() {
        return Right.of(PresentUser.of(request)::isUserInRole).map(Right::all).orElse(List.of());
    }

    /** Returns whether the user has a right everywhere. */
    public boolean may(Right right) {
        return rights().contains(right);
    }

    /** Returns whether the user has a right on a tube. */
    public boolean may(Right right, String tube) {
        return Right.of(PresentUser.of(request)::isUserInRole, tube)
                .filter(has -> has.implies(right))
                .isPresent();
    }

    /** Returns whether the user has a right on all tubes whose tasks can fit a filter. */
    public boolean may(Right right, TaskFilter filter) {
        return may(right)
                || tubes(filter)
                        .filter(all -> all.stream().allMatch(tube -> may(right, tube)))
                        .isPresent();
    }

    /** Fails unless the user has a right on all tubes whose tasks can fit a filter. */
    public void check(Right right, TaskFilter filter) {
        if (!may(right, filter)) {
            throw new ProblemException(
                    Kind.FORBIDDEN,
                    "the user " + name() + " needs the right " + right + " on all tubes of the filter, which the role "
                            + right.role() + " has, and " + right.role()
                            + ":orders for the tube orders; name the tubes in"
                            + " the filter, without *");
        }
    }

    /** Returns the tubes that a filter names; empty if it allows any. */
    private static Optional<List<String>> tubes(TaskFilter filter) {
        return filter.on(FilterField.TUBE)
                .filter(condition -> !condition.negated())
                .flatMap(condition -> condition.texts().stream())
                .findFirst();
    }
}
