package org.tasktube.console.rest;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import java.lang.reflect.Method;
import java.security.Principal;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.tasktube.admin.AuditAct;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.audit.AuditLog;
import org.tasktube.console.audit.AuditRows;
import org.tasktube.console.audit.RefusedRequests;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.RightsFilter;

/**
 * Writes one line and one row of the audit for each act, also for one that was refused. The row of an act that succeeds
 * is in the act's own transaction. A request that changes nothing has neither.
 */
@Dependent
@Priority(Priorities.USER)
public class AuditFilter implements ContainerRequestFilter, ContainerResponseFilter {

    private static final Set<String> NO_ACTS = Set.of("GET", "HEAD", "OPTIONS");
    private static final String NO_RIGHT = "none";

    @Inject
    private Audit audit;

    @Inject
    private AuditRows rows;

    @Inject
    private RefusedRequests refused;

    @Context
    private ResourceInfo resource;

    @Context
    private HttpServletRequest servlet;

    @Override
    public void filter(ContainerRequestContext request) {
        if (isAct(request)) {
            begin(request);
        }
    }

    @Override
    public void filter(ContainerRequestContext request, ContainerResponseContext response) {
        if (!isAct(request) || audit.hasChangedNothing()) {
            return;
        }
        if (resource.getResourceMethod() == null) {
            unanswered(request, response.getStatus());
            return;
        }
        if (!audit.hasBegun()) {
            // Refused before the filter of requests
            begin(request);
        }
        AuditAct act = audit.act(response.getStatus());
        AuditLog.act(act);
        if (audit.isRecorded() || audit.who().isEmpty()) {
            return;
        }
        if (act.status() < Response.Status.BAD_REQUEST.getStatusCode()) {
            rows.add(act);
        } else {
            refused.add(act);
        }
    }

    /** Notes a request for which no resource has a method. */
    private void unanswered(ContainerRequestContext request, int status) {
        String user = user(request);
        audit.begin(user, servlet.getRemoteAddr(), NO_RIGHT, request.getMethod());
        refused.add(user, servlet, status);
    }

    private static boolean isAct(ContainerRequestContext request) {
        return !NO_ACTS.contains(request.getMethod());
    }

    private void begin(ContainerRequestContext request) {
        MultivaluedMap<String, String> path = request.getUriInfo().getPathParameters();
        note(path, "tube", audit::tube);
        note(path, "id", audit::task);
        Method method = resource.getResourceMethod();
        String right = Optional.ofNullable(method.getAnnotation(Needs.class))
                .map(needs -> needs.value().name())
                .orElse(NO_RIGHT);
        String act = Optional.ofNullable(path.getFirst("act")).orElseGet(method::getName);
        audit.begin(user(request), servlet.getRemoteAddr(), right, act);
    }

    /** A request can be refused before the filter of rights notes the user. */
    private static String user(ContainerRequestContext request) {
        return Optional.ofNullable(request.getProperty(RightsFilter.USER))
                .or(() -> Optional.ofNullable(request.getSecurityContext().getUserPrincipal())
                        .map(Principal::getName))
                .map(Object::toString)
                .orElse("");
    }

    private static void note(MultivaluedMap<String, String> path, String name, Consumer<String> noted) {
        Optional.ofNullable(path.getFirst(name)).ifPresent(noted);
    }
}
