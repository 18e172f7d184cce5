package org.tasktube.console.rest;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.console.json.Body;
import org.tasktube.console.json.SentData;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

/** The acts on one task. An act of a holder joins the session of the request's header, else the one of the holder. */
enum TaskAct {
    /** As dig: the console kicks the task that it shows, not the first one. */
    KICK(By.ANY_USER, body -> on -> on.tube.dig(on.id)),
    DIG(By.ANY_USER, body -> on -> on.tube.dig(on.id)),
    DELETE(By.ANY_USER, body -> on -> on.tube.delete(on.id)),
    CANCEL(By.ANY_USER, TaskAct::cancel),
    BURY(By.USER_OR_HOLDER, body -> Target::bury),
    ACK(By.SESSION, TaskAct::ack),
    RELEASE(By.USER_OR_HOLDER, TaskAct::release),
    REQUEUE(By.USER_OR_HOLDER, body -> on -> on.tube.requeue(on.held())),
    TOUCH(By.USER_OR_HOLDER, TaskAct::touch),
    DONE(By.USER_OR_HOLDER, TaskAct::done);

    /** The user or session that can do an act. */
    private enum By {
        /** Any user, without a session. */
        ANY_USER,
        /** The session of the header; without one, the user in the name of the holder. */
        USER_OR_HOLDER,
        /** The session of the header only. */
        SESSION
    }

    private final By by;

    @SuppressWarnings("ImmutableEnumChecker") // a function without a state
    private final Function<Body, Consumer<Target>> reader;

    TaskAct(By by, Function<Body, Consumer<Target>> reader) {
        this.by = by;
        this.reader = reader;
    }

    /**
     * Reads the body of a request. Returns the act.
     *
     * @param hasSession true if the request names a session
     */
    Consumer<Target> read(Body body, boolean hasSession) {
        Consumer<Target> act = reader.apply(body);
        body.end();
        if (by == By.ANY_USER && hasSession) {
            throw new ProblemException(
                    Kind.VALUE, label() + " is no act of a holder; leave the header " + RestSessions.HEADER + " out");
        }
        if (by == By.SESSION && !hasSession) {
            throw new ProblemException(
                    Kind.VALUE,
                    label() + " needs the header " + RestSessions.HEADER
                            + " with the session of the take; to end a task" + " of another holder, use done");
        }
        return act;
    }

    private static Consumer<Target> cancel(Body body) {
        String reason = Sent.requiredReason(body);
        return on -> on.tube.cancel(on.id, reason);
    }

    private static Consumer<Target> ack(Body body) {
        Optional<TaskResult> result = body.value("result").map(sent -> result(Body.parse(sent.toString())));
        return on -> {
            Task task = on.held();
            if (result.isPresent()) {
                on.tube.ack(task, result.get());
            } else {
                on.tube.ack(task);
            }
        };
    }

    private static TaskResult result(Body body) {
        TaskResult.Outcome outcome =
                body.choice("outcome", TaskResult.Outcome.class).orElse(TaskResult.Outcome.COMPLETED);
        TaskData data = SentData.in(body).orElseGet(() -> TaskData.of(""));
        TaskResult result = new TaskResult(outcome, data, body.duration("ttl").orElse(TaskResult.DEFAULT_TTL));
        body.end();
        return result;
    }

    private static Consumer<Target> release(Body body) {
        ReleaseOptions options = new ReleaseOptions(body.duration("delay"), body.duration("ttl"));
        return on -> on.tube.release(on.held(), options);
    }

    private static Consumer<Target> touch(Body body) {
        Duration increment = body.duration("increment")
                .orElseThrow(() -> new ProblemException(
                        Kind.BODY, "the member 'increment' is missing; add a duration such as PT1M"));
        return on -> on.tube.touch(on.held(), increment);
    }

    private static Consumer<Target> done(Body body) {
        TaskResult result = result(body);
        return on -> on.tube.ack(on.held(), result);
    }

    /** Returns the act's name in an address, in lower case. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    static TaskAct of(String label) {
        return Arrays.stream(values())
                .filter(act -> act.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new ProblemException(
                        Kind.NO_RESOURCE,
                        "no act has this name; they are "
                                + Arrays.stream(values()).map(TaskAct::label).collect(Collectors.joining(", "))));
    }

    /** A task that an act is for. */
    static final class Target {

        private final TubeConnection connection;
        private final Tube tube;
        private final long id;
        private final Optional<UUID> session;

        /** @param session the session of the request; empty to act in the name of the holder */
        Target(TubeConnection connection, Tube tube, long id, Optional<UUID> session) {
            this.connection = connection;
            this.tube = tube;
            this.id = id;
            this.session = session;
        }

        private TaskMeta meta() {
            return tube.meta(id).orElseThrow(this::notFound);
        }

        private TaskNotFoundException notFound() {
            return new TaskNotFoundException(tube.name(), id);
        }

        private void bury() {
            if (session.isPresent() || meta().state() == TaskState.TAKEN) {
                tube.bury(held());
            } else {
                tube.bury(id);
            }
        }

        /** Joins the session that holds the task, and returns the task with the token of its take. */
        private Task held() {
            connection.identify(session.orElseGet(this::holder));
            return tube.peek(id).orElseThrow(this::notFound);
        }

        private UUID holder() {
            TaskMeta meta = meta();
            return meta.session().orElseThrow(() -> new TaskNotTakenException(tube.name(), id, meta.state()));
        }
    }
}
