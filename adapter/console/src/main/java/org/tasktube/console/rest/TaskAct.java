package org.tasktube.console.rest;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
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

/** The acts on one task. An act that only a holder can do joins the session of the holder first. */
enum TaskAct {
    /** As dig: the console kicks the task that it shows, not the first one. */
    KICK {
        @Override
        void perform(Target on, Body body) {
            body.end();
            on.tube.dig(on.id);
        }
    },
    DIG {
        @Override
        void perform(Target on, Body body) {
            body.end();
            on.tube.dig(on.id);
        }
    },
    BURY {
        @Override
        void perform(Target on, Body body) {
            body.end();
            if (on.meta().state() == TaskState.TAKEN) {
                on.tube.bury(on.held());
            } else {
                on.tube.bury(on.id);
            }
        }
    },
    DELETE {
        @Override
        void perform(Target on, Body body) {
            body.end();
            on.tube.delete(on.id);
        }
    },
    RELEASE {
        @Override
        void perform(Target on, Body body) {
            ReleaseOptions options = new ReleaseOptions(body.duration("delay"), body.duration("ttl"));
            body.end();
            on.tube.release(on.held(), options);
        }
    },
    REQUEUE {
        @Override
        void perform(Target on, Body body) {
            body.end();
            on.tube.requeue(on.held());
        }
    },
    TOUCH {
        @Override
        void perform(Target on, Body body) {
            Duration increment = body.duration("increment")
                    .orElseThrow(() -> new ProblemException(
                            Kind.BODY, "the member 'increment' is missing; add a duration such as PT1M"));
            body.end();
            on.tube.touch(on.held(), increment);
        }
    },
    DONE {
        @Override
        void perform(Target on, Body body) {
            TaskResult.Outcome outcome =
                    body.choice("outcome", TaskResult.Outcome.class).orElse(TaskResult.Outcome.COMPLETED);
            TaskData data = SentData.in(body).orElseGet(() -> TaskData.of(""));
            TaskResult result =
                    new TaskResult(outcome, data, body.duration("ttl").orElse(TaskResult.DEFAULT_TTL));
            body.end();
            on.tube.ack(on.held(), result);
        }
    };

    abstract void perform(Target on, Body body);

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
                                + Arrays.stream(values())
                                        .map(TaskAct::label)
                                        .collect(java.util.stream.Collectors.joining(", "))));
    }

    /** A task that an act is for. */
    static final class Target {

        private final TubeConnection connection;
        private final Tube tube;
        private final long id;

        Target(TubeConnection connection, Tube tube, long id) {
            this.connection = connection;
            this.tube = tube;
            this.id = id;
        }

        private TaskMeta meta() {
            return tube.meta(id).orElseThrow(this::notFound);
        }

        private TaskNotFoundException notFound() {
            return new TaskNotFoundException(tube.name(), id);
        }

        /** Joins the session that holds the task, and returns the task with the token of its take. */
        private Task held() {
            TaskMeta meta = meta();
            connection.identify(
                    meta.session().orElseThrow(() -> new TaskNotTakenException(tube.name(), id, meta.state())));
            return tube.peek(id).orElseThrow(this::notFound);
        }
    }
}
