package org.tasktube.console.rest;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MultivaluedMap;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.audit.AuditLog;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.RightsFilter;

/** Writes one audit line for each act, also for one that was refused. A request that changes nothing has none. */
@Dependent
public class AuditFilter implements ContainerResponseFilter {

    @Inject
    private Audit audit;

    @Context
    private ResourceInfo resource;

    @Override
    public void filter(ContainerRequestContext request, ContainerResponseContext response) {
        if (request.getMethod().equals("GET") || request.getMethod().equals("HEAD")) {
            return;
        }
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
        String user = Objects.toString(request.getProperty(RightsFilter.USER), "");
        AuditLog.act(user, right, act, audit, response.getStatus());
    }

    private static void note(MultivaluedMap<String, String> path, String name, Consumer<String> noted) {
        Optional.ofNullable(path.getFirst(name)).ifPresent(noted);
    }
}
