package org.tasktube.console.json;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tasktube.FailureGroup;
import org.tasktube.TaskProgress;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TubeEvent;
import org.tasktube.admin.TaskPage;
import org.tasktube.admin.TaskRelations;
import org.tasktube.console.overview.Problems.Found;

/** The answers that have rows in them. A member without a value is absent. */
public final class Views {

    private Views() {}

    /**
     * The user, and the server that answers.
     *
     * @param user the name of the user
     * @param byProvider true if users log in at a provider of OpenID Connect
     * @param rights the rights of the user, the smallest first
     * @param tubes the rights on each tube on which the user has more
     * @param server the node name of the server
     * @param version the version of TaskTube
     * @param adapterState the state of the adapter
     * @param adapters the adapters of the server, of which each has a console at the path of its name
     * @param now the time of the server
     * @param csrf the token that changes need: none
     */
    public record Session(
            String user,
            boolean byProvider,
            List<String> rights,
            Map<String, List<String>> tubes,
            String server,
            List<String> adapters,
            String version,
            String adapterState,
            Instant now,
            String csrf) {}

    /** The logins of browsers on all servers, the newest first. */
    public record Logins(List<Login> logins) {}

    /**
     * A login of a browser.
     *
     * @param server the server that used it last
     * @param seen the time of its last use, which is noted once per minute
     * @param isYours true for that of the request
     */
    public record Login(
            String id, String user, String address, String server, Instant since, Instant seen, boolean isYours) {}

    /** The adapter on the server that answers. */
    public record Adapter(String state, String server) {}

    /** The sums over all tubes. */
    public record Totals(long tubes, long ready, long delayed, long taken, long buried, long done, long total) {

        public static Totals of(List<TubeRow> tubes) {
            return new Totals(
                    tubes.size(),
                    tubes.stream().mapToLong(TubeRow::ready).sum(),
                    tubes.stream().mapToLong(TubeRow::delayed).sum(),
                    tubes.stream().mapToLong(TubeRow::taken).sum(),
                    tubes.stream().mapToLong(TubeRow::buried).sum(),
                    tubes.stream().mapToLong(TubeRow::done).sum(),
                    tubes.stream().mapToLong(TubeRow::total).sum());
        }
    }

    /**
     * All tubes, and what is wrong, the worst first.
     *
     * @param totals the sums over all tubes; null if the adapter does not run, because they are not known
     * @param work the tubes that had work, or have a bean, over all servers
     * @param measured the time of the numbers of work; null if the adapter does not run
     * @param interval the time between two measures of work; null if the adapter does not run
     */
    public record Overview(
            Instant now,
            Adapter adapter,
            Totals totals,
            List<Found> problems,
            List<TubeRow> tubes,
            List<WorkView.Row> work,
            Instant measured,
            Duration interval) {}

    /**
     * A page of a search.
     *
     * @param tasks the tasks
     * @param looked the number of tasks that were read for it
     * @param next where the next page begins; null if this page is the last
     * @param gone the tasks of the keys of the filter that are gone; null if there are none
     */
    public record Page(List<TaskRow> tasks, long looked, String next, List<Gone> gone) {}

    /** A task that is gone, with its last event. */
    public record Gone(String tube, String id, TubeEvent event, Instant at) {

        public static Gone of(TaskPage.Gone task) {
            return new Gone(task.tube(), Long.toString(task.id()), task.event(), task.at());
        }
    }

    /** The result of a DONE task. */
    public record Result(String outcome, Duration ttl, DataView data) {

        public static Result of(TaskResult result, boolean sees) {
            return new Result(result.outcome().name(), result.ttl(), DataView.of(result.data(), sees));
        }
    }

    /**
     * The reason why a task waits.
     *
     * @param reason its kind
     * @param text one sentence
     * @param heldBy the id of the failed task that holds its sub-queue, which can be itself; null if none does
     */
    public record Why(String reason, String text, String heldBy) {}

    /**
     * The tasks that come before a task and after it.
     *
     * @param parents the number of tasks before it
     * @param open the number of those that have not ended
     */
    public record Order(long parents, long open, List<Relative> before, List<Relative> after) {

        /** Returns the order; null if no task comes before it or after it. */
        public static Order of(TaskRelations read) {
            return read.before().isEmpty() && read.after().isEmpty()
                    ? null
                    : new Order(read.parents(), read.open(), all(read.before()), all(read.after()));
        }

        private static List<Relative> all(List<TaskRelations.Relative> read) {
            return read.stream().map(Relative::of).toList();
        }
    }

    /**
     * How far the holder of a task says it is, and the call to end it; each reference is null for none.
     *
     * @param total the parts of the work; 0 if that is not known
     */
    public record Progress(
            long done, long total, String note, Instant at, String cancelledBy, String reason, Instant cancelledAt) {

        /** Returns the progress of a task; null if nothing is known of it. */
        public static Progress of(TaskProgress read) {
            if (read == null) {
                return null;
            }
            TaskProgress.Cancel cancel = read.cancel().orElse(null);
            return new Progress(
                    read.done(),
                    read.total(),
                    read.note().isEmpty() ? null : read.note(),
                    read.at().orElse(null),
                    cancel == null ? null : cancel.by(),
                    cancel == null ? null : cancel.reason(),
                    cancel == null ? null : cancel.at());
        }
    }

    /**
     * A task before another one, or after it.
     *
     * @param tube its tube; null if it is gone
     * @param state its state; null if it is gone
     * @param ended whether the later one waits for the earlier one no more
     */
    public record Relative(String id, String tube, String state, boolean ended) {

        static Relative of(TaskRelations.Relative read) {
            return new Relative(
                    Long.toString(read.id()),
                    read.tube().orElse(null),
                    read.state().map(TaskState::name).orElse(null),
                    read.ended());
        }
    }

    /** A task after an act; its state is null if it is gone. */
    public record Acted(String tube, String id, String act, String state) {}

    /** How many tasks or tubes an act has changed. */
    public record Changed(long number) {}

    /**
     * A kind of failures.
     *
     * @param fingerprint the id of the kind
     * @param type the class of the exception
     * @param cause the class of its root cause; null if it has none
     * @param frame the first frame of the application
     * @param message the message, with placeholders
     * @param first the time of the first failure
     * @param last the time of the latest failure
     * @param total the number of tasks
     * @param states the number of tasks per state
     * @param tubes the names of the tubes
     * @param sampleTube the tube of the sample
     * @param sampleTask the id of the sample
     * @param trend the number of tasks by the hour of their failure, for the last 24 hours, the earliest first
     */
    public record Failures(
            String fingerprint,
            String type,
            String cause,
            String frame,
            String message,
            Instant first,
            Instant last,
            long total,
            Map<String, Long> states,
            List<String> tubes,
            String sampleTube,
            String sampleTask,
            List<Long> trend) {

        public static Failures of(FailureGroup group) {
            Map<String, Long> states = new TreeMap<>();
            group.tasks().forEach((state, count) -> states.put(state.name(), count));
            return new Failures(
                    group.fingerprint().id(),
                    group.fingerprint().type(),
                    TaskRow.nullIfEmpty(group.fingerprint().cause()),
                    group.fingerprint().frame(),
                    group.fingerprint().message(),
                    group.first(),
                    group.last(),
                    group.total(),
                    states,
                    List.copyOf(group.tubes()),
                    group.sampleTube(),
                    Long.toString(group.sampleTask()),
                    group.trend());
        }
    }
}
