package org.tasktube.sample.report;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import org.tasktube.AdapterNotRunningException;

/** Asks the client to try again while the adapter waits for its database. */
@Provider
public class NotRunning implements ExceptionMapper<AdapterNotRunningException> {

    private static final int SECONDS = 2;

    @Override
    public Response toResponse(AdapterNotRunningException exception) {
        return Response.status(Response.Status.SERVICE_UNAVAILABLE)
                .header("Retry-After", SECONDS)
                .entity(exception.getMessage() + "\n")
                .build();
    }
}
