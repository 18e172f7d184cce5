package org.tasktube.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestStore;
import org.tasktube.testing.TestTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The base of the rules that hold for every store, on a database or in memory: tubes that each test has for itself, a
 * clock that stands, and transactions that end with the test.
 */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class StoreContract {

    static final Duration SECOND = Duration.ofSeconds(1);

    final Holder holder = new Holder(UUID.randomUUID(), 1);
    TaskStore store;

    /** Of type fifottl. */
    StoredTube tube;

    /** Of type utubettl. */
    StoredTube subQueues;

    /** Of type limfifottl, for two tasks. */
    StoredTube limited;

    private final TestStore.Kind kind;
    private final List<TestTransaction> begun = new ArrayList<>();
    private TestStore on;
    private Instant now;

    StoreContract(TestStore.Kind kind) {
        this.kind = kind;
    }

    @BeforeAll
    void open() {
        on = kind.open();
        store = on.tasks();
    }

    @AfterAll
    void close() {
        on.close();
    }

    @BeforeEach
    void newTubes() {
        now = TestStore.START;
        on.setClock(now);
        tube = on.create(TubeDefinition.fifottl(RunningNode.newName()), false);
        subQueues = on.create(TubeDefinition.utubettl(RunningNode.newName()), true);
        limited = on.create(TubeDefinition.limfifottl(RunningNode.newName(), 2), false);
    }

    @AfterEach
    void drop() {
        begun.forEach(TestTransaction::close);
        begun.clear();
        List.of(tube, subQueues, limited).forEach(on::drop);
    }

    StoredTube create(TubeDefinition definition) {
        return on.create(definition, false);
    }

    StoredTube createWithSubQueues(TubeDefinition definition) {
        return on.create(definition, true);
    }

    void drop(StoredTube dropped) {
        on.drop(dropped);
    }

    void pass(Duration time) {
        now = now.plus(time);
        on.setClock(now);
    }

    // Transactions

    TestTransaction begin() {
        TestTransaction transaction = on.begin();
        begun.add(transaction);
        return transaction;
    }

    /** Begins a transaction, and does something in it. */
    TestTransaction open(Supplier<?> work) {
        TestTransaction opened = begin();
        assertThat(opened.in(work)).isNotNull();
        return opened;
    }

    /** Does something in a transaction of its own that is not kept for the end of the test, by any thread. */
    <T> T committing(boolean commit, Supplier<T> work) {
        try (TestTransaction transaction = on.begin()) {
            T result = transaction.in(work);
            if (commit) {
                transaction.commit();
            }
            return result;
        }
    }

    /** Checks that work on another thread has not ended when it could have. */
    static void assertWaits(CompletableFuture<?> work) {
        assertThatThrownBy(() -> work.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }

    // Tasks

    static NewTask task(String text) {
        return TaskToPut.of(text).build();
    }

    static NewTask living(Duration ttl, Duration ttr) {
        return TaskToPut.of("x").ttl(ttl).ttr(ttr).build();
    }

    static NewTask inSubQueue(String utube, int pri) {
        return TaskToPut.of(utube).utube(utube).pri(pri).build();
    }

    long put(StoredTube to, NewTask task) {
        Put put = store.put(to, List.of(task));
        assertThat(put.outcome()).isEqualTo(Put.Outcome.DONE);
        return put.id();
    }

    long put(String text) {
        return put(tube, task(text));
    }

    List<Task> claim(StoredTube from, int max) {
        return store.claim(from, holder, OrderKey.START, max).stream()
                .map(ClaimedTask::task)
                .toList();
    }

    Task take(StoredTube from) {
        return claim(from, 1).get(0);
    }

    List<Long> claimIds(StoredTube from, int max) {
        return claim(from, max).stream().map(Task::id).toList();
    }

    List<String> claimTexts(StoredTube from, int max) {
        return claim(from, max).stream().map(Task::text).toList();
    }

    TaskMeta meta(StoredTube of, long id) {
        return store.reads().meta(of, id).orElseThrow();
    }

    List<TaskMeta> metas(long... ids) {
        return Arrays.stream(ids).mapToObj(id -> meta(tube, id)).toList();
    }

    List<TubeCount> counts(StoredTube of) {
        return store.reads().counts().stream()
                .filter(count -> count.tube() == of.id())
                .toList();
    }

    List<TubeCount> count(TaskState state, long tasks) {
        return List.of(new TubeCount(tube.id(), state, tasks));
    }
}
