package org.tasktube.console.problem;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.ext.ExceptionMapper;

/** Answers each failed request of the REST interface. A failure that is no fault of the caller is logged. */
public class ProblemMapper implements ExceptionMapper<Throwable> {

    @Context
    private HttpServletRequest request;

    @Override
    public Response toResponse(Throwable thrown) {
        if (thrown instanceof WebApplicationException answer
                && answer.getResponse().getStatus() < Status.BAD_REQUEST.getStatusCode()) {
            return answer.getResponse();
        }
        Problem problem = ProblemTable.of(thrown, request.getRequestURI());
        if (problem.kind() == Kind.FAULT || problem.kind() == Kind.DATABASE) {
            Log.LOG.failed(request.getMethod(), request.getRequestURI(), thrown);
        }
        ResponseBuilder response =
                Response.status(problem.kind().status()).type(Problem.TYPE).entity(problem.json());
        if (problem.kind().passes()) {
            response.header(HttpHeaders.RETRY_AFTER, 1);
        }
        return response.build();
    }
}
