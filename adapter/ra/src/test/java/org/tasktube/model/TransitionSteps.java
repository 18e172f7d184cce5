package org.tasktube.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Transitioned;
import org.tasktube.testing.Calls;

/** Steps that take tasks, and steps that apply a transition to a task. */
final class TransitionSteps {

    private static final int NODE = 1;

    private final Scenario scenario;

    TransitionSteps(Scenario scenario) {
        this.scenario = scenario;
    }

    void perform(Step.Op op) {
        switch (op) {
            case CLAIM -> claim();
            case CLAIM_ALL -> claimAll();
            case ACK_ALL -> ackAll();
            case RETURN_UNSTARTED -> returnUnstarted();
            case BURY_UNHELD -> buryUnheld();
            case KICK -> kick((int) scenario.pick(1, 2, 5));
            case KICK_ALL -> kickAll();
            case DIG -> dig();
            case DELETE -> delete();
            case RELEASE_ALL -> releaseAll();
            case RELEASE_SESSION -> releaseSession();
            case TRUNCATE -> truncate();
            default -> byHolder(op);
        }
    }

    private Model model() {
        return scenario.model();
    }

    private long now() {
        return scenario.model().now();
    }

    private Holder holder() {
        return new Holder(Environment.session(scenario.actor()), NODE);
    }

    // Take

    private void claim() {
        int after = scenario.chance(15) && !model().takings().isEmpty()
                ? scenario.dice().nextInt(model().takings().size())
                : Model.NONE;
        if (scenario.stored().subQueues() && model().isInTransaction(scenario.actor())) {
            scenario.outside(() -> scenario.store().promoteHeads(scenario.stored()));
        }
        claim(after, (int) scenario.pick(1, 1, 2, 3, 10));
    }

    private int claim(int after, int max) {
        boolean start = after == Model.NONE;
        Set<List<Integer>> expected = scenario.tube()
                .claimable(
                        scenario.actor(),
                        now(),
                        start ? OrderKey.START : model().takings().get(after).key(),
                        max);
        List<ClaimedTask> claimed = scenario.store()
                .claim(scenario.stored(), holder(), start ? OrderKey.START : scenario.keyOf(after), max);
        List<Integer> numbers =
                claimed.stream().map(task -> scenario.number(task.task().id())).toList();
        scenario.oneOf("claim " + max + (start ? "" : " after taking " + after), expected, numbers);
        List<Version> versions = model().claim(scenario.tube(), scenario.actor(), numbers);
        for (int i = 0; i < claimed.size(); i++) {
            scenario.claimed(claimed.get(i));
            scenario.same(
                    "  taking " + (model().takings().size() - claimed.size() + i),
                    text(versions.get(i)),
                    text(claimed.get(i)));
        }
        return claimed.size();
    }

    private static String text(Version task) {
        return task.pri + " " + task.data + " " + task.headers + " " + task.utube + " attempts " + task.attempts
                + " ttr " + task.ttr;
    }

    private static String text(ClaimedTask claimed) {
        Task task = claimed.task();
        return task.pri() + " " + task.text() + " " + task.headers() + " "
                + task.utube().orElse(null) + " attempts "
                + task.attempts() + " ttr "
                + claimed.ttr().map(Duration::toMillis).orElse(null);
    }

    /** In order, to the last. */
    private void claimAll() {
        for (ModelTube tube : model().tubes()) {
            scenario.in(tube);
            int count = claim(Model.NONE, 3);
            while (count > 0) {
                List<Integer> last = IntStream.range(
                                model().takings().size() - count,
                                model().takings().size())
                        .boxed()
                        .toList();
                ackAll(last);
                count = claim(Model.NONE, 3);
            }
        }
    }

    private void kickAll() {
        for (ModelTube tube : model().tubes()) {
            scenario.in(tube);
            while (!tube.numbers(0, TaskState.BURIED).isEmpty()) {
                kick(1);
            }
        }
    }

    // Operations of a holder

    /** Mostly one that is held, or an earlier taking of the same task. */
    private int aTaking() {
        List<Integer> held = new ArrayList<>();
        for (int i = 0; i < model().takings().size(); i++) {
            Model.Taking taking = model().takings().get(i);
            if (taking.tube() == scenario.tube() && model().holds(scenario.tube(), taking, taking.actor())) {
                held.add(i);
            }
        }
        if (held.isEmpty() || scenario.chance(10)) {
            return scenario.dice().nextInt(model().takings().size());
        }
        int taking = scenario.pick(held);
        return scenario.chance(20) ? firstOfSameTask(taking) : taking;
    }

    private int firstOfSameTask(int taking) {
        int number = model().takings().get(taking).number();
        return IntStream.rangeClosed(0, taking)
                .filter(i -> model().takings().get(i).number() == number)
                .findFirst()
                .orElseThrow();
    }

    private void asHolderOf(int taking) {
        if (scenario.chance(85)) {
            scenario.as(model().takings().get(taking).actor());
        }
    }

    private boolean isLocked(int number) {
        return model().isLocked(number, scenario.actor());
    }

    private void byHolder(Step.Op op) {
        if (model().takings().isEmpty()) {
            return;
        }
        int index = aTaking();
        asHolderOf(index);
        if (!isLocked(model().takings().get(index).number())) {
            byHolder(op, index, scenario.claimed(index));
        }
    }

    private void byHolder(Step.Op op, int index, Task task) {
        long delay = scenario.pick(0, 15, 50);
        long ttl = scenario.pick(10, 30);
        long now = now();
        switch (op) {
            case ACK -> ack(index, task);
            case DONE -> done(index, task);
            case RELEASE ->
                transitioned(
                        "release",
                        index,
                        version -> version.transitionTo(TaskState.READY),
                        () -> Calls.release(scenario.store(), scenario.stored(), holder(), task));
            case RELEASE_LATER ->
                releaseLater(index, task, delay, scenario.chance(50) ? Optional.of(ttl) : Optional.empty());
            case REQUEUE -> requeue(index, task);
            case BURY ->
                transitioned(
                        "bury",
                        index,
                        Version::bury,
                        () -> Calls.bury(scenario.store(), scenario.stored(), holder(), task));
            case TOUCH ->
                transitioned(
                        "touch " + ttl,
                        index,
                        version -> touch(version, ttl),
                        () -> Calls.touch(scenario.store(), scenario.stored(), holder(), task, Duration.ofMillis(ttl)));
            case HEARTBEAT ->
                transitioned(
                        "heartbeat",
                        index,
                        version -> version.event = version.ttr == null ? null : Long.valueOf(now + version.ttr),
                        () -> Calls.heartbeat(scenario.store(), scenario.stored(), holder(), task));
            case FAIL -> fail(index, task, scenario.chance(30) ? Optional.empty() : Optional.of(delay));
            default -> throw new IllegalArgumentException(op.name());
        }
    }

    private interface Call {
        Optional<Transitioned> inStore();
    }

    private void transitioned(String what, int index, Consumer<Version> inModel, Call call) {
        Model.Taking taking = model().takings().get(index);
        Optional<Version> expected = model().changeHeld(scenario.tube(), taking, scenario.actor(), inModel);
        scenario.transitioned(what + " of taking " + index + " (" + taking.number() + ")", expected, call.inStore());
    }

    private static void touch(Version version, long increment) {
        version.event = version.event == null ? null : Long.valueOf(version.event + increment);
        version.expires = version.expires == null ? null : Long.valueOf(version.expires + increment);
    }

    private void ack(int index, Task task) {
        Model.Taking taking = model().takings().get(index);
        boolean held = model().holds(scenario.tube(), taking, scenario.actor());
        if (held) {
            model().remove(scenario.tube(), taking.number(), scenario.actor());
        }
        scenario.same(
                "ack of taking " + index + " (" + taking.number() + ")",
                held,
                Calls.ack(scenario.store(), scenario.stored(), holder(), task));
    }

    private void done(int index, Task task) {
        long ttl = scenario.pick(20, 100);
        TaskResult result = (scenario.chance(50) ? TaskResult.completed("yes") : TaskResult.rejected("no"))
                .ttl(Duration.ofMillis(ttl));
        long end = now() + ttl;
        transitioned(
                "done for " + ttl,
                index,
                version -> {
                    version.expires = end;
                    version.transitionTo(TaskState.DONE);
                    version.key = null;
                    version.result = Environment.text(result);
                },
                () -> Calls.done(scenario.store(), scenario.stored(), holder(), task, result));
    }

    private void releaseLater(int index, Task task, long delay, Optional<Long> ttl) {
        long now = now();
        transitioned(
                "release delay=" + delay + " ttl=" + ttl,
                index,
                version -> {
                    ttl.ifPresent(life -> version.expires = now + delay + life);
                    if (delay > 0) {
                        version.delay(now + delay, ttl.isPresent() ? 0 : delay);
                    } else {
                        version.transitionTo(TaskState.READY);
                    }
                },
                () -> Calls.release(
                        scenario.store(),
                        scenario.stored(),
                        holder(),
                        task,
                        Duration.ofMillis(delay),
                        ttl.map(Duration::ofMillis)));
    }

    private void requeue(int index, Task task) {
        transitioned(
                "requeue",
                index,
                version -> {
                    version.becomeReady();
                    version.ord = model().nextPosition();
                },
                () -> Calls.requeue(scenario.store(), scenario.stored(), holder(), task));
    }

    private void fail(int index, Task task, Optional<Long> delay) {
        String message = "m" + scenario.dice().nextInt(100);
        long now = now();
        transitioned(
                "fail delay=" + delay,
                index,
                version -> {
                    version.failure = message;
                    if (delay.isEmpty()) {
                        version.bury();
                    } else if (delay.get() > 0) {
                        version.delay(now + delay.get(), delay.get());
                    } else {
                        version.transitionTo(TaskState.READY);
                    }
                },
                () -> Calls.fail(
                        scenario.store(),
                        scenario.stored(),
                        holder(),
                        task,
                        new TaskFailure("type", message, "trace"),
                        delay.map(Duration::ofMillis)));
    }

    /** Takings of different tasks, mostly what one actor holds. */
    private List<Integer> someTakings() {
        Map<Integer, Integer> byTask = new LinkedHashMap<>();
        int count = 1 + scenario.dice().nextInt(3);
        for (int i = 0; i < count && !model().takings().isEmpty(); i++) {
            int index = aTaking();
            byTask.put(model().takings().get(index).number(), index);
        }
        byTask.values().removeIf(index -> model().takings().get(index).tube() != scenario.tube());
        List<Integer> some = List.copyOf(byTask.values());
        some.stream().findFirst().ifPresent(this::asHolderOf);
        return some.stream()
                        .anyMatch(index -> isLocked(model().takings().get(index).number()))
                ? List.of()
                : some;
    }

    private List<Integer> held(List<Integer> takings) {
        return takings.stream()
                .filter(index ->
                        model().holds(scenario.tube(), model().takings().get(index), scenario.actor()))
                .toList();
    }

    private Collection<Task> tasks(List<Integer> takings) {
        return takings.stream().map(scenario::claimed).toList();
    }

    private void ackAll() {
        List<Integer> takings = someTakings();
        if (!takings.isEmpty() && !locksMore(takings)) {
            ackAll(takings);
        }
    }

    private void ackAll(List<Integer> takings) {
        boolean all = held(takings).size() == takings.size();
        if (all) {
            takings.forEach(index ->
                    model().remove(scenario.tube(), model().takings().get(index).number(), scenario.actor()));
        }
        scenario.same(
                "ack takings " + takings,
                all,
                Calls.ackAll(scenario.store(), scenario.stored(), holder(), tasks(takings)));
    }

    /** A call that refuses some, in a transaction, locks those of the session in a database, and none in memory. */
    private boolean locksMore(List<Integer> takings) {
        return model().isInTransaction(scenario.actor()) && held(takings).size() < takings.size();
    }

    private void returnUnstarted() {
        List<Integer> takings = someTakings();
        if (takings.isEmpty() || locksMore(takings)) {
            return;
        }
        List<Integer> held = held(takings);
        held.forEach(index -> model().changeHeld(
                        scenario.tube(), model().takings().get(index), scenario.actor(), version -> {
                            version.transitionTo(TaskState.READY);
                            version.attempts--;
                        }));
        scenario.same(
                "return takings " + takings,
                held.size(),
                Calls.returnUnstarted(scenario.store(), scenario.stored(), holder(), tasks(takings))
                        .size());
    }

    // Operations without a holder

    /** Mostly one in that state. */
    private int aTaskIn(TaskState state) {
        List<Integer> there = scenario.tube().numbers(scenario.actor(), state);
        return !there.isEmpty() && scenario.chance(80) ? scenario.pick(there) : scenario.anyNumber();
    }

    private void buryUnheld() {
        TaskState from = scenario.pick(List.of(TaskState.READY, TaskState.READY, TaskState.DELAYED));
        int number = aTaskIn(from);
        if (!isLocked(number)) {
            Optional<Version> expected = model().change(scenario.tube(), number, from, scenario.actor(), Version::bury);
            scenario.transitioned(
                    "bury " + from + " " + number,
                    expected,
                    Calls.buryUnheld(scenario.store(), scenario.stored(), scenario.id(number), from));
        }
    }

    private static void dig(Version version) {
        version.becomeReady();
        version.attempts = 0;
    }

    private void kick(int max) {
        List<Integer> expected = scenario.tube().inOrder(scenario.actor(), TaskState.BURIED).stream()
                .filter(number -> !isLocked(number))
                .limit(max)
                .toList();
        expected.forEach(number ->
                model().change(scenario.tube(), number, TaskState.BURIED, scenario.actor(), TransitionSteps::dig));
        same("kick " + max, expected, Calls.kick(scenario.store(), scenario.stored(), max));
    }

    /** In no order. */
    private void same(String what, List<Integer> expected, List<Long> ids) {
        scenario.same(what, new TreeSet<>(expected), new TreeSet<>(scenario.numbers(ids)));
    }

    private void dig() {
        int number = aTaskIn(TaskState.BURIED);
        if (!isLocked(number)) {
            Optional<Version> expected =
                    model().change(scenario.tube(), number, TaskState.BURIED, scenario.actor(), TransitionSteps::dig);
            scenario.transitioned(
                    "dig " + number, expected, Calls.dig(scenario.store(), scenario.stored(), scenario.id(number)));
        }
    }

    private void delete() {
        int number = scenario.anyNumber();
        if (!isLocked(number)) {
            Optional<TaskState> expected = Optional.ofNullable(
                            scenario.tube().seen(scenario.actor()).get(number))
                    .map(version -> version.state);
            expected.ifPresent(state -> model().remove(scenario.tube(), number, scenario.actor()));
            scenario.same(
                    "delete " + number,
                    expected,
                    Calls.delete(scenario.store(), scenario.stored(), scenario.id(number)));
        }
    }

    private void releaseAll() {
        if (!scenario.tube().isAnyLocked(scenario.actor())) {
            List<Integer> taken = scenario.tube().numbers(scenario.actor(), TaskState.TAKEN);
            release(taken);
            same("release all", taken, Calls.releaseAll(scenario.store(), scenario.stored()));
        }
    }

    private void release(List<Integer> taken) {
        taken.forEach(number -> model().change(
                        scenario.tube(),
                        number,
                        TaskState.TAKEN,
                        scenario.actor(),
                        version -> version.transitionTo(TaskState.READY)));
    }

    private void releaseSession() {
        if (scenario.tube().isAnyLocked(scenario.actor())) {
            return;
        }
        int session = scenario.dice().nextInt(Model.ACTORS);
        Set<Integer> wanted = new HashSet<>();
        scenario.tube().seen(scenario.actor()).keySet().stream()
                .filter(n -> scenario.chance(70))
                .forEach(wanted::add);
        List<Integer> held = scenario.tube().numbers(scenario.actor(), TaskState.TAKEN).stream()
                .filter(wanted::contains)
                .filter(number -> scenario.tube().seen(scenario.actor()).get(number).session == session)
                .toList();
        release(held);
        List<Long> ids = wanted.stream().map(scenario::id).toList();
        same(
                "release " + wanted + " of session " + session,
                held,
                Calls.releaseSession(scenario.store(), scenario.stored(), Environment.session(session), ids));
    }

    private void truncate() {
        if (scenario.tube().isAnyLocked(scenario.actor())) {
            return;
        }
        Set<String> expected = new TreeSet<>();
        for (TaskState state : TaskState.values()) {
            List<Integer> there = scenario.tube().numbers(scenario.actor(), state);
            if (!there.isEmpty()) {
                expected.add(scenario.stored().id() + " " + state + " " + there.size());
            }
            there.forEach(number -> model().remove(scenario.tube(), number, scenario.actor()));
        }
        scenario.same("truncate", expected, ReadSteps.texts(Calls.truncate(scenario.store(), scenario.stored())));
    }
}
