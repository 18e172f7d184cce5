package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.IOException;
import java.io.InputStream;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The description of the REST interface. */
@Path("openapi.json")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class OpenApiResource {

    private static final String FILE = "/org/tasktube/console/openapi.json";

    @GET
    @Needs(Right.VIEW)
    public byte[] document() throws IOException {
        return read();
    }

    static byte[] read() throws IOException {
        try (InputStream in = OpenApiResource.class.getResourceAsStream(FILE)) {
            return in.readAllBytes();
        }
    }
}
