package org.tasktube.console.rest;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MultivaluedMap;
import java.lang.reflect.Method;
import java.security.Principal;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.tasktube.admin.AuditAct;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.audit.AuditLog;
import org.tasktube.console.audit.AuditRows;
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

    @Inject
    private Audit audit;

    @Inject
    private AuditRows rows;

    @Context
    private ResourceInfo resource;

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
        if (!audit.hasBegun()) {
            // Refused before the filter of requests
            begin(request);
        }
        AuditAct act = audit.act(response.getStatus());
        AuditLog.act(act);
        if (!audit.isRecorded() && !audit.who().isEmpty()) {
            rows.add(act);
        }
    }

    private static boolean isAct(ContainerRequestContext request) {
        return !NO_ACTS.contains(request.getMethod());
    }

    private void begin(ContainerRequestContext request) {
        MultivaluedMap<String, String> path = request.getUriInfo().getPathParameters();
        note(path, "tube", audit::tube);
        note(path, "id", audit::task);
        Optional<Method> method = Optional.ofNullable(resource.getResourceMethod());
        String right = method.map(found -> found.getAnnotation(Needs.class))
                .map(needs -> needs.value().name())
                .orElse("none");
        String act = Optional.ofNullable(path.getFirst("act"))
                .or(() -> method.map(Method::getName))
                .orElseGet(request::getMethod);
        audit.begin(user(request), right, act);
    }

    /** An address without a resource, or without the method, is refused before the filter of rights notes the user. */
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
