package org.tasktube.console.security;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.List;
import java.util.Optional;

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

    /** Returns whether the user has a right. */
    public boolean may(Right right) {
        return rights().contains(right);
    }
}
