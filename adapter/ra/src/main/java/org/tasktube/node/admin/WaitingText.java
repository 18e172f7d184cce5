package org.tasktube.node.admin;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskRelations;
import org.tasktube.admin.WaitingTask;
import org.tasktube.admin.WaitingTask.Holder;
import org.tasktube.admin.WaitingTask.Pause;
import org.tasktube.admin.WaitingTask.Position;
import org.tasktube.admin.WaitingTask.Reason;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.Situation;

/** Writes the reason why a task waits as one sentence, with the names and numbers in it. */
final class WaitingText {

    /** The most tasks that are named of those for which a task waits. */
    private static final int PARENTS = 3;

    private final Situation situation;
    private final String here;
    private final TaskMeta meta;

    /** @param here the name of this server */
    WaitingText(Situation situation, String here) {
        this.situation = situation;
        this.here = here;
        this.meta = situation.task().task().meta();
    }

    static WaitingTask notRunning(String tube, long id, String why) {
        return new WaitingTask(
                tube,
                id,
                Optional.empty(),
                Reason.ADAPTER_NOT_RUNNING,
                "Nothing is known of task " + id + " of tube '" + tube + "': " + why + ".",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Instant.now());
    }

    WaitingTask done() {
        return new Parts(Reason.DONE)
                .until(meta.event())
                .sentence(task() + " is DONE: its work has ended, and its result is kept" + until() + ".");
    }

    WaitingTask buried() {
        String why = meta.lastFailure()
                .map(failure -> " after " + count(meta.attempts(), "attempt") + ", of which the last failed by "
                        + failure.type() + (failure.message().isEmpty() ? "" : ": " + failure.message()))
                .orElse("");
        return new Parts(Reason.BURIED).sentence(task() + " is BURIED" + why + "; a retry makes it READY." + holding());
    }

    /** What waits for a task that failed, in a tube of strict order. */
    private String holding() {
        return situation.holds()
                ? " It holds sub-queue '" + meta.utube().orElse("")
                        + "', whose later tasks wait until it is acked or deleted, or the sub-queue is let go."
                : "";
    }

    WaitingTask taken() {
        Holder holder = holder(situation.task());
        return new Parts(Reason.TAKEN)
                .held(holder)
                .sentence(task() + " is TAKEN by session " + holder.session() + " of server '" + holder.server()
                        + "' since " + at(holder.since()) + ttr() + "." + lock());
    }

    WaitingTask delivered(String bean, Duration duration) {
        Holder holder = holder(situation.task());
        return new Parts(Reason.TAKEN)
                .held(holder)
                .bean(bean)
                .sentence(task() + " is TAKEN: bean '" + bean + "' of server '" + holder.server()
                        + "' has worked on it for " + text(duration) + ttr() + "." + lock());
    }

    WaitingTask claimedAhead(String bean) {
        Holder holder = holder(situation.task());
        return new Parts(Reason.CLAIMED_AHEAD)
                .held(holder)
                .bean(bean)
                .sentence(task() + " is claimed ahead for bean '" + bean + "' of server '" + holder.server()
                        + "' since " + at(holder.since()) + ", and the bean has not begun it.");
    }

    private String ttr() {
        return meta.event()
                .map(end -> isOver(end)
                        ? "; its ttr is over since " + at(end) + ", and the next sweep makes it READY"
                        : "; its ttr ends at " + at(end))
                .orElse("; it has no ttr");
    }

    WaitingTask delayed() {
        Instant end = meta.event().orElseThrow();
        return new Parts(Reason.DELAYED)
                .until(meta.event())
                .sentence((isOver(end)
                                ? task() + " was delayed until " + at(end) + ", and the next sweep makes it READY."
                                : task() + " is delayed until " + at(end) + ", for " + text(between(meta.now(), end))
                                        + " from now.")
                        + holding());
    }

    /** @param relations the tasks that come before it */
    WaitingTask afterOthers(TaskRelations relations) {
        String open = relations.before().stream()
                .filter(parent -> !parent.ended())
                .limit(PARENTS)
                .map(WaitingText::parent)
                .collect(Collectors.joining(", "));
        return new Parts(Reason.AFTER)
                .sentence(
                        open.isEmpty()
                                ? task() + " waits for no other task any more, and the next sweep makes it READY."
                                : task() + " waits for " + relations.open() + " of "
                                        + count((int) relations.parents(), "task") + ": " + open
                                        + (relations.open() > PARENTS ? ", and others." : "."));
    }

    private static String parent(TaskRelations.Relative parent) {
        return parent.tube()
                .map(tube -> parent.id() + " of tube '" + tube + "', "
                        + parent.state().map(WaitingText::whatOf).orElse(""))
                .orElseGet(
                        () -> parent.id() + ", which has ended without an ack, so that this one is about to be BURIED");
    }

    private static String whatOf(TaskState state) {
        return state == TaskState.BURIED ? "which is BURIED: a retry makes it go on" : "which is " + state;
    }

    WaitingTask expired() {
        return new Parts(Reason.EXPIRED)
                .until(meta.event())
                .sentence("The ttl of " + lower(task()) + " is over: no take gets it, and the next sweep removes it.");
    }

    WaitingTask paused(ModeSetting mode) {
        return new Parts(Reason.TUBE_PAUSED)
                .pause(mode)
                .sentence("Tube '" + meta.tube() + "' is PAUSED by '" + mode.by() + "' since " + at(mode.since()) + ": "
                        + mode.reason() + ".");
    }

    WaitingTask locked() {
        return new Parts(Reason.LOCKED)
                .sentence("An open transaction has locked " + lower(task())
                        + ", for instance by a take that is not committed yet." + locker());
    }

    /** An ack that is not committed locks a TAKEN task; a frozen server may keep that for long. */
    private String lock() {
        return situation.task().isLocked() ? " An open transaction has locked it." + locker() : "";
    }

    private String locker() {
        return situation
                .locker()
                .map(by -> " It is that of process " + by.process() + " of the database"
                        + by.address()
                                .map(client -> ", of the client " + client)
                                .orElse("") + ", open since "
                        + at(by.since()) + (by.isIdle() ? " and idle now." : "."))
                .orElse("");
    }

    WaitingTask behindHead(Situation.Found head) {
        boolean isTaken = head.task().meta().state() == TaskState.TAKEN;
        Optional<Holder> holder = isTaken ? Optional.of(holder(head)) : Optional.empty();
        Position before = position(1, OptionalLong.of(head.task().meta().id()));
        String whose = holder.map(held -> "which server '" + held.server() + "' holds since " + at(held.since()))
                .orElseGet(() -> situationOf(head));
        Parts parts = new Parts(Reason.BEHIND_IN_SUB_QUEUE).before(before);
        parts.holder = holder;
        parts.heldBy = hasFailed(head) ? before.first() : OptionalLong.empty();
        return parts.sentence(
                task() + " waits behind " + subQueueOf(head.task().meta().id()) + ", " + whose + others(before) + ".");
    }

    private static boolean hasFailed(Situation.Found head) {
        TaskState state = head.task().meta().state();
        return state == TaskState.DELAYED || state == TaskState.BURIED;
    }

    private static String situationOf(Situation.Found head) {
        if (hasFailed(head)) {
            return "which has failed, is " + head.task().meta().state()
                    + " and holds the sub-queue until it is acked or deleted, or the sub-queue is let go";
        }
        return head.isLocked() ? "which an open transaction has locked" : "which is READY";
    }

    WaitingTask behindInSubQueue() {
        Position before = position(0, OptionalLong.of(situation.before().get(0)));
        return new Parts(Reason.BEHIND_IN_SUB_QUEUE)
                .before(before)
                .sentence(task() + " waits behind " + subQueueOf(before.first().getAsLong())
                        + ", which the next take of the tube makes available" + others(before) + ".");
    }

    private String subQueueOf(long id) {
        return "task " + id + " in sub-queue '" + meta.utube().orElse("") + "'";
    }

    private static String others(Position before) {
        int others = before.count() - 1;
        String first = before.isMore() ? "; more than " : "; ";
        return others == 0 && !before.isMore()
                ? ""
                : first + count(others, "other task") + (others == 1 ? " comes" : " come") + " before it";
    }

    WaitingTask nextInSubQueue() {
        return new Parts(Reason.NEXT_IN_SUB_QUEUE)
                .before(position(0, OptionalLong.empty()))
                .sentence(task() + " is the next one of sub-queue '"
                        + meta.utube().orElse("") + "', and the next take of the tube makes it available.");
    }

    WaitingTask limited(String why) {
        return withPosition(Reason.LIMITED).sentence(task() + " waits for its turn: the tube " + why + ".");
    }

    WaitingTask noConsumer() {
        return withPosition(Reason.NO_CONSUMER)
                .sentence("No bean and no take waits for tube '" + meta.tube() + "' on server '" + here
                        + "', and no server holds a task of it; consumers of other servers that wait are not known"
                        + " here.");
    }

    WaitingTask hindered(BeanStatus bean) {
        return withPosition(Reason.CONSUMERS_HINDERED)
                .bean(bean.name())
                .sentence(bean.hindrance().orElseThrow().text());
    }

    WaitingTask behind() {
        Position before = position(0, OptionalLong.of(situation.before().get(0)));
        String many = (before.isMore() ? "more than " : "") + count(before.count(), "task");
        return withPosition(Reason.BEHIND)
                .sentence(task() + " is READY, and " + many
                        + (before.count() == 1 && !before.isMore() ? " comes" : " come")
                        + " before it; the next is task "
                        + before.first().getAsLong() + ".");
    }

    WaitingTask next() {
        return withPosition(Reason.NEXT).sentence(task() + " is READY, and the next one that a take gets.");
    }

    private Parts withPosition(Reason reason) {
        List<Long> before = situation.before();
        return new Parts(reason)
                .before(position(0, before.isEmpty() ? OptionalLong.empty() : OptionalLong.of(before.get(0))));
    }

    /** @param more the number of tasks before it besides those that the store has listed */
    private Position position(int more, OptionalLong first) {
        int count = situation.before().size() + more;
        return new Position(Math.min(count, TaskAdmin.MAX_BEFORE), count > TaskAdmin.MAX_BEFORE, first);
    }

    private Holder holder(Situation.Found found) {
        TaskMeta held = found.task().meta();
        // A server that was removed has no name any more
        String server = found.server().orElseGet(() -> "server " + found.task().node());
        return new Holder(
                held.id(), server, held.session().orElseThrow(), held.takenAt().orElseThrow(), held.event());
    }

    // Texts

    private String task() {
        return "Task " + meta.id() + " of tube '" + meta.tube() + "'";
    }

    private static String lower(String sentence) {
        return sentence.substring(0, 1).toLowerCase(Locale.ROOT) + sentence.substring(1);
    }

    private String until() {
        return meta.event().map(end -> " until " + at(end)).orElse("");
    }

    private boolean isOver(Instant end) {
        return !end.isAfter(meta.now());
    }

    private static String at(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Two units are enough for a reader: 1 d 23 h, 1 min 40 s. */
    private static String text(Duration duration) {
        String text = Stream.of(
                        unit(duration.toDays(), " d"),
                        unit(duration.toHoursPart(), " h"),
                        unit(duration.toMinutesPart(), " min"),
                        unit(duration.toSecondsPart(), " s"))
                .dropWhile(String::isEmpty)
                .limit(2)
                .filter(Predicate.not(String::isEmpty))
                .collect(Collectors.joining(" "));
        return text.isEmpty() ? "0 s" : text;
    }

    private static String unit(long number, String name) {
        return number == 0 ? "" : number + name;
    }

    private static Duration between(Instant from, Instant to) {
        Duration between = Duration.between(from, to);
        return between.isNegative() ? Duration.ZERO : between;
    }

    private static String count(int number, String noun) {
        return String.format(Locale.ROOT, "%,d ", number) + noun + (number == 1 ? "" : "s");
    }

    /** The parts of the answer that not all reasons have. */
    private final class Parts {

        private final Reason reason;
        private Optional<Instant> since = Optional.empty();
        private Optional<Instant> until = Optional.empty();
        private Optional<Position> before = Optional.empty();
        private OptionalLong heldBy = situation.holds() ? OptionalLong.of(meta.id()) : OptionalLong.empty();
        private Optional<Holder> holder = Optional.empty();
        private Optional<String> bean = Optional.empty();
        private Optional<Pause> pause = Optional.empty();

        Parts(Reason reason) {
            this.reason = reason;
            if (meta.state() == TaskState.READY) {
                before = Optional.of(position(0, OptionalLong.empty()));
            }
        }

        Parts until(Optional<Instant> end) {
            until = end;
            return this;
        }

        Parts held(Holder by) {
            holder = Optional.of(by);
            since = Optional.of(by.since());
            until = by.until();
            return this;
        }

        Parts bean(String name) {
            bean = Optional.of(name);
            return this;
        }

        Parts before(Position position) {
            before = Optional.of(position);
            return this;
        }

        Parts pause(ModeSetting mode) {
            pause = Optional.of(new Pause(mode.by(), mode.since(), mode.reason()));
            since = Optional.of(mode.since());
            return this;
        }

        WaitingTask sentence(String text) {
            return new WaitingTask(
                    meta.tube(),
                    meta.id(),
                    Optional.of(meta.state()),
                    reason,
                    text,
                    since,
                    until,
                    meta.utube(),
                    before,
                    heldBy,
                    holder,
                    bean,
                    pause,
                    meta.lastFailure(),
                    meta.now());
        }
    }
}
