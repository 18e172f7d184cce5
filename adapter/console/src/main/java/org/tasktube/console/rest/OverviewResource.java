package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.tasktube.console.json.Views;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** All tubes, and what is wrong. It answers in every state of the adapter. */
@Path("overview")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class OverviewResource {

    @Inject
    private Overviews overviews;

    @GET
    @Needs(Right.VIEW)
    public Views.Overview overview() {
        return overviews.read();
    }
}
