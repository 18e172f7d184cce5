package org.tasktube.console.security;

import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.SecurityContext;
import java.lang.reflect.Method;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

/** The one place where rights are checked. */
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
        check(resource.getResourceMethod(), security);
    }

    static void check(Method method, SecurityContext security) {
        if (security.getUserPrincipal() == null) {
            throw new ProblemException(Kind.LOGIN, "log in first: send the name and password of a user by BASIC");
        }
        Needs needs = method.getAnnotation(Needs.class);
        if (needs == null) {
            throw new ProblemException(Kind.FORBIDDEN, "no right allows this request");
        }
        if (Right.of(security::isUserInRole)
                .filter(right -> right.implies(needs.value()))
                .isEmpty()) {
            throw new ProblemException(
                    Kind.FORBIDDEN,
                    "the user " + security.getUserPrincipal().getName() + " needs the right " + needs.value()
                            + ", which the role " + needs.value().role() + " has");
        }
    }
}
