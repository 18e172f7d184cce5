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
import org.tasktube.store.Moved;
import org.tasktube.store.Place;

/** Steps that take tasks and move them. */
final class Moves {

    private static final int NODE = 1;

    private final Trial trial;

    Moves(Trial trial) {
        this.trial = trial;
    }

    void perform(Step.Op op) {
        switch (op) {
            case CLAIM -> claim();
            case CLAIM_ALL -> claimAll();
            case ACK_ALL -> ackAll();
            case GIVE_BACK -> giveBack();
            case BURY_IDLE -> buryIdle();
            case KICK -> kick((int) trial.pick(1, 2, 5));
            case KICK_ALL -> kickAll();
            case DIG -> dig();
            case DELETE -> delete();
            case RELEASE_ALL -> releaseAll();
            case RELEASE_SESSION -> releaseSession();
            case TRUNCATE -> truncate();
            default -> move(op);
        }
    }

    private Model model() {
        return trial.model();
    }

    private long now() {
        return trial.model().now();
    }

    private Holder holder() {
        return new Holder(Ground.session(trial.actor()), NODE);
    }

    // Take

    private void claim() {
        int after = trial.chance(15) && !model().takings().isEmpty()
                ? trial.dice().nextInt(model().takings().size())
                : Model.NOBODY;
        if (trial.stored().subQueues() && model().isInTransaction(trial.actor())) {
            trial.outside(() -> trial.store().settle(trial.stored()));
        }
        claim(after, (int) trial.pick(1, 1, 2, 3, 10));
    }

    private int claim(int after, int max) {
        boolean start = after == Model.NOBODY;
        Set<List<Integer>> expected = trial.tube()
                .claimable(
                        trial.actor(),
                        now(),
                        start ? Place.START : model().takings().get(after).place(),
                        max);
        List<ClaimedTask> claimed =
                trial.store().claim(trial.stored(), holder(), start ? Place.START : trial.placeOf(after), max);
        List<Integer> numbers =
                claimed.stream().map(task -> trial.number(task.task().id())).toList();
        trial.oneOf("claim " + max + (start ? "" : " after taking " + after), expected, numbers);
        List<Version> versions = model().claim(trial.tube(), trial.actor(), numbers);
        for (int i = 0; i < claimed.size(); i++) {
            trial.claimed(claimed.get(i));
            trial.same(
                    "  taking " + (model().takings().size() - claimed.size() + i),
                    text(versions.get(i)),
                    text(claimed.get(i)));
        }
        return claimed.size();
    }

    private static String text(Version task) {
        return task.pri + " " + task.data + " " + task.utube + " attempts " + task.attempts + " ttr " + task.ttr;
    }

    private static String text(ClaimedTask claimed) {
        Task task = claimed.task();
        return task.pri() + " " + task.text() + " " + (task.utube().isEmpty() ? null : task.utube()) + " attempts "
                + task.attempts() + " ttr "
                + claimed.ttr().map(Duration::toMillis).orElse(null);
    }

    /** In order, to the last. */
    private void claimAll() {
        for (ModelTube tube : model().tubes()) {
            trial.in(tube);
            int count = claim(Model.NOBODY, 3);
            while (count > 0) {
                List<Integer> last = IntStream.range(
                                model().takings().size() - count,
                                model().takings().size())
                        .boxed()
                        .toList();
                ackAll(last);
                count = claim(Model.NOBODY, 3);
            }
        }
    }

    private void kickAll() {
        for (ModelTube tube : model().tubes()) {
            trial.in(tube);
            while (!tube.numbers(0, TaskState.BURIED).isEmpty()) {
                kick(1);
            }
        }
    }

    // What a holder does

    /** Mostly one that is held, or an earlier taking of the same task. */
    private int aTaking() {
        List<Integer> held = new ArrayList<>();
        for (int i = 0; i < model().takings().size(); i++) {
            Model.Taking taking = model().takings().get(i);
            if (taking.tube() == trial.tube() && model().holds(trial.tube(), taking, taking.actor())) {
                held.add(i);
            }
        }
        if (held.isEmpty() || trial.chance(10)) {
            return trial.dice().nextInt(model().takings().size());
        }
        int taking = trial.pick(held);
        return trial.chance(20) ? firstOfSameTask(taking) : taking;
    }

    private int firstOfSameTask(int taking) {
        int number = model().takings().get(taking).number();
        return IntStream.rangeClosed(0, taking)
                .filter(i -> model().takings().get(i).number() == number)
                .findFirst()
                .orElseThrow();
    }

    private void asHolderOf(int taking) {
        if (trial.chance(85)) {
            trial.as(model().takings().get(taking).actor());
        }
    }

    private boolean isLocked(int number) {
        return model().isLocked(number, trial.actor());
    }

    private void move(Step.Op op) {
        if (model().takings().isEmpty()) {
            return;
        }
        int index = aTaking();
        asHolderOf(index);
        if (!isLocked(model().takings().get(index).number())) {
            move(op, index, trial.claimed(index));
        }
    }

    private void move(Step.Op op, int index, Task task) {
        long delay = trial.pick(0, 15, 50);
        long ttl = trial.pick(10, 30);
        long now = now();
        switch (op) {
            case ACK -> ack(index, task);
            case DONE -> done(index, task);
            case RELEASE ->
                moved("release", index, version -> version.letGo(TaskState.READY), () -> trial.store()
                        .release(trial.stored(), holder(), task));
            case RELEASE_LATER ->
                releaseLater(index, task, delay, trial.chance(50) ? Optional.of(ttl) : Optional.empty());
            case REQUEUE -> requeue(index, task);
            case BURY -> moved("bury", index, Version::bury, () -> trial.store().bury(trial.stored(), holder(), task));
            case TOUCH ->
                moved("touch " + ttl, index, version -> touch(version, ttl), () -> trial.store()
                        .touch(trial.stored(), holder(), task, Duration.ofMillis(ttl)));
            case HEARTBEAT ->
                moved(
                        "heartbeat",
                        index,
                        version -> version.event = version.ttr == null ? null : Long.valueOf(now + version.ttr),
                        () -> trial.store().heartbeat(trial.stored(), holder(), task));
            case FAIL -> fail(index, task, trial.chance(30) ? Optional.empty() : Optional.of(delay));
            default -> throw new IllegalArgumentException(op.name());
        }
    }

    private interface Move {
        Optional<Moved> inStore();
    }

    private void moved(String what, int index, Consumer<Version> inModel, Move move) {
        Model.Taking taking = model().takings().get(index);
        Optional<Version> expected = model().move(trial.tube(), taking, trial.actor(), inModel);
        trial.moved(what + " of taking " + index + " (" + taking.number() + ")", expected, move.inStore());
    }

    private static void touch(Version version, long increment) {
        version.event = version.event == null ? null : Long.valueOf(version.event + increment);
        version.expires = version.expires == null ? null : Long.valueOf(version.expires + increment);
    }

    private void ack(int index, Task task) {
        Model.Taking taking = model().takings().get(index);
        boolean held = model().holds(trial.tube(), taking, trial.actor());
        if (held) {
            model().remove(trial.tube(), taking.number(), trial.actor());
        }
        trial.same(
                "ack of taking " + index + " (" + taking.number() + ")",
                held,
                trial.store().ack(trial.stored(), holder(), task));
    }

    private void done(int index, Task task) {
        long ttl = trial.pick(20, 100);
        TaskResult result = (trial.chance(50) ? TaskResult.completed("yes") : TaskResult.rejected("no"))
                .ttl(Duration.ofMillis(ttl));
        long end = now() + ttl;
        moved(
                "done for " + ttl,
                index,
                version -> {
                    version.expires = end;
                    version.letGo(TaskState.DONE);
                    version.key = null;
                    version.result = Ground.text(result);
                },
                () -> trial.store().done(trial.stored(), holder(), task, result));
    }

    private void releaseLater(int index, Task task, long delay, Optional<Long> ttl) {
        long now = now();
        moved(
                "release delay=" + delay + " ttl=" + ttl,
                index,
                version -> {
                    ttl.ifPresent(life -> version.expires = now + delay + life);
                    if (delay > 0) {
                        version.delay(now + delay, ttl.isPresent() ? 0 : delay);
                    } else {
                        version.letGo(TaskState.READY);
                    }
                },
                () -> trial.store()
                        .release(
                                trial.stored(), holder(), task, Duration.ofMillis(delay), ttl.map(Duration::ofMillis)));
    }

    private void requeue(int index, Task task) {
        moved(
                "requeue",
                index,
                version -> {
                    version.becomeReady();
                    version.ord = model().nextPlace();
                },
                () -> trial.store().requeue(trial.stored(), holder(), task));
    }

    private void fail(int index, Task task, Optional<Long> delay) {
        String message = "m" + trial.dice().nextInt(100);
        long now = now();
        moved(
                "fail delay=" + delay,
                index,
                version -> {
                    version.failure = message;
                    if (delay.isEmpty()) {
                        version.bury();
                    } else if (delay.get() > 0) {
                        version.delay(now + delay.get(), delay.get());
                    } else {
                        version.letGo(TaskState.READY);
                    }
                },
                () -> trial.store()
                        .fail(
                                trial.stored(),
                                holder(),
                                task,
                                new TaskFailure("type", message, "trace"),
                                delay.map(Duration::ofMillis)));
    }

    /** Takings of different tasks, mostly what one actor holds. */
    private List<Integer> someTakings() {
        Map<Integer, Integer> byTask = new LinkedHashMap<>();
        int count = 1 + trial.dice().nextInt(3);
        for (int i = 0; i < count && !model().takings().isEmpty(); i++) {
            int index = aTaking();
            byTask.put(model().takings().get(index).number(), index);
        }
        byTask.values().removeIf(index -> model().takings().get(index).tube() != trial.tube());
        List<Integer> some = List.copyOf(byTask.values());
        some.stream().findFirst().ifPresent(this::asHolderOf);
        return some.stream()
                        .anyMatch(index -> isLocked(model().takings().get(index).number()))
                ? List.of()
                : some;
    }

    private List<Integer> held(List<Integer> takings) {
        return takings.stream()
                .filter(index -> model().holds(trial.tube(), model().takings().get(index), trial.actor()))
                .toList();
    }

    private Collection<Task> tasks(List<Integer> takings) {
        return takings.stream().map(trial::claimed).toList();
    }

    private void ackAll() {
        List<Integer> takings = someTakings();
        if (!takings.isEmpty()) {
            ackAll(takings);
        }
    }

    private void ackAll(List<Integer> takings) {
        boolean all = held(takings).size() == takings.size();
        if (all) {
            takings.forEach(index ->
                    model().remove(trial.tube(), model().takings().get(index).number(), trial.actor()));
        }
        trial.same("ack takings " + takings, all, trial.store().ackAll(trial.stored(), holder(), tasks(takings)));
    }

    private void giveBack() {
        List<Integer> takings = someTakings();
        if (takings.isEmpty()) {
            return;
        }
        List<Integer> held = held(takings);
        held.forEach(index -> model().move(trial.tube(), model().takings().get(index), trial.actor(), version -> {
            version.letGo(TaskState.READY);
            version.attempts--;
        }));
        trial.same(
                "give back takings " + takings,
                held.size(),
                trial.store().giveBack(trial.stored(), holder(), tasks(takings)));
    }

    // What anybody does

    /** Mostly one in that state. */
    private int aTaskIn(TaskState state) {
        List<Integer> there = trial.tube().numbers(trial.actor(), state);
        return !there.isEmpty() && trial.chance(80) ? trial.pick(there) : trial.anyNumber();
    }

    private void buryIdle() {
        TaskState from = trial.pick(List.of(TaskState.READY, TaskState.READY, TaskState.DELAYED));
        int number = aTaskIn(from);
        if (!isLocked(number)) {
            Optional<Version> expected = model().change(trial.tube(), number, from, trial.actor(), Version::bury);
            trial.moved(
                    "bury " + from + " " + number,
                    expected,
                    trial.store().buryIdle(trial.stored(), trial.id(number), from));
        }
    }

    private static void dig(Version version) {
        version.becomeReady();
        version.attempts = 0;
    }

    private void kick(int max) {
        List<Integer> expected = trial.tube().inOrder(trial.actor(), TaskState.BURIED).stream()
                .filter(number -> !isLocked(number))
                .limit(max)
                .toList();
        expected.forEach(number -> model().change(trial.tube(), number, TaskState.BURIED, trial.actor(), Moves::dig));
        same("kick " + max, expected, trial.store().kick(trial.stored(), max));
    }

    /** In no order. */
    private void same(String what, List<Integer> expected, List<Long> ids) {
        trial.same(what, new TreeSet<>(expected), new TreeSet<>(trial.numbers(ids)));
    }

    private void dig() {
        int number = aTaskIn(TaskState.BURIED);
        if (!isLocked(number)) {
            Optional<Version> expected =
                    model().change(trial.tube(), number, TaskState.BURIED, trial.actor(), Moves::dig);
            trial.moved("dig " + number, expected, trial.store().dig(trial.stored(), trial.id(number)));
        }
    }

    private void delete() {
        int number = trial.anyNumber();
        if (!isLocked(number)) {
            Optional<TaskState> expected = Optional.ofNullable(
                            trial.tube().seen(trial.actor()).get(number))
                    .map(version -> version.state);
            expected.ifPresent(state -> model().remove(trial.tube(), number, trial.actor()));
            trial.same("delete " + number, expected, trial.store().delete(trial.stored(), trial.id(number)));
        }
    }

    private void releaseAll() {
        if (!trial.tube().isAnyLocked(trial.actor())) {
            List<Integer> taken = trial.tube().numbers(trial.actor(), TaskState.TAKEN);
            release(taken);
            same("release all", taken, trial.store().releaseAll(trial.stored()));
        }
    }

    private void release(List<Integer> taken) {
        taken.forEach(number -> model().change(
                        trial.tube(),
                        number,
                        TaskState.TAKEN,
                        trial.actor(),
                        version -> version.letGo(TaskState.READY)));
    }

    private void releaseSession() {
        if (trial.tube().isAnyLocked(trial.actor())) {
            return;
        }
        int session = trial.dice().nextInt(Model.ACTORS);
        Set<Integer> wanted = new HashSet<>();
        trial.tube().seen(trial.actor()).keySet().stream()
                .filter(n -> trial.chance(70))
                .forEach(wanted::add);
        List<Integer> held = trial.tube().numbers(trial.actor(), TaskState.TAKEN).stream()
                .filter(wanted::contains)
                .filter(number -> trial.tube().seen(trial.actor()).get(number).session == session)
                .toList();
        release(held);
        List<Long> ids = wanted.stream().map(trial::id).toList();
        same(
                "release " + wanted + " of session " + session,
                held,
                trial.store().releaseSession(trial.stored(), Ground.session(session), ids));
    }

    private void truncate() {
        if (trial.tube().isAnyLocked(trial.actor())) {
            return;
        }
        Set<String> expected = new TreeSet<>();
        for (TaskState state : TaskState.values()) {
            List<Integer> there = trial.tube().numbers(trial.actor(), state);
            if (!there.isEmpty()) {
                expected.add(trial.stored().id() + " " + state + " " + there.size());
            }
            there.forEach(number -> model().remove(trial.tube(), number, trial.actor()));
        }
        trial.same("truncate", expected, Looks.texts(trial.store().truncate(trial.stored())));
    }
}
