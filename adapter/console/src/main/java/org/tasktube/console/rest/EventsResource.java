package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotAllowedException;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.tasktube.console.live.Client;
import org.tasktube.console.live.Frame;
import org.tasktube.console.live.LiveEvents;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;
import org.tasktube.console.security.Logins;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The overview as a stream of events. */
@Path("events")
@RequestScoped
public class EventsResource {

    @Inject
    private LiveEvents live;

    @Inject
    private Logins logins;

    @GET
    @Produces(MediaType.SERVER_SENT_EVENTS)
    @Needs(Right.VIEW)
    public void events(@Context SseEventSink sink, @Context Sse sse, @Context HttpServletRequest request) {
        if (request.getMethod().equals("HEAD")) {
            // Nothing is sent to it, so its end would not be seen, and it would keep its place for minutes
            throw new NotAllowedException("GET");
        }
        Optional<String> login = logins.of(request);
        if (!live.add(new Sink(sink, sse, request.getAsyncContext(), login, logins))) {
            throw new ProblemException(
                    Kind.STREAMS,
                    "this server has as many streams as it can have; poll GET overview, or connect later");
        }
    }

    private static final class Sink implements Client {

        /** A browser drops an event without data. */
        private static final Frame ALIVE = new Frame("alive", "", "{}");

        private final SseEventSink sink;
        private final Sse sse;
        private final AsyncContext answer;
        private final Optional<String> login;
        private final Logins logins;
        private volatile boolean closed;

        Sink(SseEventSink sink, Sse sse, AsyncContext answer, Optional<String> login, Logins logins) {
            this.sink = sink;
            this.sse = sse;
            this.answer = answer;
            this.login = login;
            this.logins = logins;
        }

        @Override
        public CompletionStage<?> send(Frame frame) {
            return sink.send(sse.newEventBuilder()
                    .name(frame.event())
                    .data(String.class, frame.data())
                    .build());
        }

        @Override
        public CompletionStage<?> alive() {
            return send(ALIVE);
        }

        @Override
        public boolean isOf(String key) {
            return login.filter(key::equals).isPresent();
        }

        @Override
        public boolean isLoggedOut() {
            return login.filter(logins::hasEnded).isPresent();
        }

        @Override
        public boolean isClosed() {
            return closed || sink.isClosed();
        }

        /** RESTEasy's own close waits until the client has taken all, and a client that does not read never does. */
        @Override
        public void close() {
            closed = true;
            answer.complete();
        }
    }
}
