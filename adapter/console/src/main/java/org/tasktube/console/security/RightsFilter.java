package org.tasktube.console.security;

import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.SecurityContext;
import java.lang.reflect.Method;
import java.util.Optional;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

/**
 * The place where rights are checked. A right on a tube is enough for a path with that tube. For the tubes of a filter,
 * the resource asks {@link Caller}.
 */
@Priority(Priorities.AUTHORIZATION)
public class RightsFilter implements ContainerRequestFilter {

    /** The property of a request with the name of its user, which stays after a logout. */
    public static final String USER = "tasktube.user";

    @Context
    private ResourceInfo resource;

    @Override
    public void filter(ContainerRequestContext request) {
        SecurityContext security = request.getSecurityContext();
        if (security.getUserPrincipal() != null) {
            request.setProperty(USER, security.getUserPrincipal().getName());
        }
        check(
                resource.getResourceMethod(),
                security,
                Optional.ofNullable(request.getUriInfo().getPathParameters().getFirst("tube")));
    }

    /** Returns the refusal of a user who lacks a right, on a tube or everywhere. */
    static ProblemException refusal(String user, Right right, Optional<String> tube) {
        return new ProblemException(
                Kind.FORBIDDEN,
                "the user " + user + " needs the right " + right + ", which the role " + right.role() + " has"
                        + tube.filter(name -> right != Right.VIEW)
                                .map(name -> ", and " + right.role() + ":" + name + " for this tube")
                                .orElse(""));
    }

    static void check(Method method, SecurityContext security, Optional<String> tube) {
        if (security.getUserPrincipal() == null) {
            throw new ProblemException(Kind.LOGIN, Provider.howToLogIn());
        }
        Needs needs = method.getAnnotation(Needs.class);
        if (needs == null) {
            throw new ProblemException(Kind.FORBIDDEN, "no right allows this request");
        }
        Right least = needs.byFilter() ? Right.VIEW : needs.value();
        Optional<Right> has = tube.map(name -> Right.of(security::isUserInRole, name))
                .orElseGet(() -> Right.of(security::isUserInRole));
        if (has.filter(right -> right.implies(least)).isEmpty()) {
            throw refusal(security.getUserPrincipal().getName(), least, tube);
        }
    }
}
