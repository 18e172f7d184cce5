package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.util.concurrent.CompletionStage;
import org.tasktube.console.live.Client;
import org.tasktube.console.live.Frame;
import org.tasktube.console.live.LiveEvents;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The overview as a stream of events. */
@Path("events")
@RequestScoped
public class EventsResource {

    @Inject
    private LiveEvents live;

    @GET
    @Produces(MediaType.SERVER_SENT_EVENTS)
    @Needs(Right.VIEW)
    public void events(@Context SseEventSink sink, @Context Sse sse) {
        if (!live.add(new Sink(sink, sse))) {
            throw new ProblemException(
                    Kind.STREAMS,
                    "this server has as many streams as it can have; poll GET overview, or connect later");
        }
    }

    private record Sink(SseEventSink sink, Sse sse) implements Client {

        @Override
        public CompletionStage<?> send(Frame frame) {
            return sink.send(sse.newEventBuilder()
                    .name(frame.event())
                    .data(String.class, frame.data())
                    .build());
        }

        @Override
        public CompletionStage<?> comment() {
            return sink.send(sse.newEventBuilder().comment("alive").build());
        }

        @Override
        public boolean isClosed() {
            return sink.isClosed();
        }

        @Override
        public void close() {
            sink.close();
        }
    }
}
