package org.tasktube.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.Fingerprint;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredTube;

/**
 * One version of a task: the committed one, or that of the transaction that is changing the task. A change is made on a
 * copy, never on a row that is in an index. The columns are the ones of {@code tasktube_task}, and are null where these
 * are.
 */
final class Row {

    static final Comparator<Row> BY_ORDER = Comparator.<Row>comparingInt(row -> row.pri)
            .thenComparingLong(row -> row.ord)
            .thenComparingLong(row -> row.id);

    static final Comparator<Row> BY_EVENT =
            Comparator.<Row, Instant>comparing(row -> row.event).thenComparingLong(row -> row.id);

    /** The heap that a task takes besides its data: as measured, 390 bytes, or 640 with deadlines and a key. */
    static final int OVERHEAD = 640;

    /** The heap that headers take besides their texts, as measured: the map, and each of them. */
    private static final int HEADERS_OVERHEAD = 200;

    private static final int HEADER_OVERHEAD = 150;

    private static final int BYTES_A_CHARACTER = 2;

    final long id;
    /** Null in the row {@link #at} a key. */
    final StoredTube tube;
    /** The lock of the task; null in the same row as the tube. */
    final RowLock lock;

    TaskState state;
    int pri;
    long ord;
    Instant created;
    /** The deadline of the task in its state; null without one. */
    Instant event;

    Instant expires;
    Duration ttr;
    Taking taking;
    int attempts;
    int taken;
    int buried;
    String utube;
    /** True for a task that an uncommitted change has made READY in its sub-queue, and that may not be the head. */
    boolean blocked;
    /** The unique key, while the task is not DONE. */
    String key;

    Map<String, String> headers;
    TaskData data;
    TaskFailure failure;
    /** The time of the failure; null without one. */
    Instant failedAt;

    TaskResult result;

    private Row(long id, StoredTube tube, RowLock lock) {
        this.id = id;
        this.tube = tube;
        this.lock = lock;
    }

    /** Returns a row of no task at a position, to search an index from there. */
    static Row at(OrderKey key) {
        Row row = new Row(key.id(), null, null);
        row.pri = key.pri();
        row.ord = key.ord();
        return row;
    }

    static Row of(long id, StoredTube tube, RowLock lock, NewTask fresh, Instant now) {
        Row row = new Row(id, tube, lock);
        row.ord = fresh.ord(id);
        row.key = fresh.uniqueKey().orElse(null);
        row.fill(fresh, now);
        return row;
    }

    /** Sets the columns that a replacement sets: position in the order of put, key and counts stay. */
    void fill(NewTask fresh, Instant now) {
        state = fresh.state();
        pri = fresh.pri();
        created = now;
        event = fresh.untilEvent().map(until -> later(now, until)).orElse(null);
        expires = fresh.untilExpiry().map(until -> later(now, until)).orElse(null);
        ttr = fresh.ttr().map(Row::toMillisecond).orElse(null);
        utube = fresh.utube().orElse(null);
        blocked = utube != null && state == TaskState.READY;
        headers = fresh.headers();
        data = fresh.data();
    }

    Row copy() {
        Row copy = new Row(id, tube, lock);
        copy.state = state;
        copy.pri = pri;
        copy.ord = ord;
        copy.created = created;
        copy.event = event;
        copy.expires = expires;
        copy.ttr = ttr;
        copy.taking = taking;
        copy.attempts = attempts;
        copy.taken = taken;
        copy.buried = buried;
        copy.utube = utube;
        copy.blocked = blocked;
        copy.key = key;
        copy.headers = headers;
        copy.data = data;
        copy.failure = failure;
        copy.failedAt = failedAt;
        copy.result = result;
        return copy;
    }

    // Questions

    /** Returns whether no other task can have the unique key of this one. */
    boolean keepsKey(Instant now) {
        return state == TaskState.TAKEN || !isOver(now);
    }

    boolean isOver(Instant now) {
        return expires != null && !expires.isAfter(now);
    }

    boolean isHeld(UUID session, long token) {
        return isHeld(session) && taking.token() == token;
    }

    boolean isHeld(UUID session) {
        return state == TaskState.TAKEN && taking.holder().session().equals(session);
    }

    /** Returns the time from the put to the take, if it is the first one; else {@link ClaimedTask#TAKEN_BEFORE}. */
    long waitMillis() {
        return taken == 1 ? Math.max(0, Duration.between(created, taking.at()).toMillis()) : ClaimedTask.TAKEN_BEFORE;
    }

    OrderKey key() {
        return new OrderKey(pri, ord, id);
    }

    static long weight(NewTask fresh) {
        int texts = fresh.uniqueKey().map(String::length).orElse(0)
                + fresh.utube().map(String::length).orElse(0);
        return OVERHEAD + fresh.data().size() + weight(fresh.headers()) + (long) BYTES_A_CHARACTER * texts;
    }

    /** Returns the heap that the row takes, in bytes, by estimate. */
    long weight() {
        long texts = (long) length(key) + length(utube);
        if (failure != null) {
            Fingerprint kind = failure.fingerprint();
            texts += length(failure.type()) + length(failure.message()) + length(failure.trace());
            texts += length(kind.type()) + length(kind.cause()) + length(kind.frame()) + length(kind.message());
        }
        return OVERHEAD + payload() + BYTES_A_CHARACTER * texts;
    }

    long payload() {
        return data.size()
                + weight(headers)
                + (result == null ? 0 : result.data().size());
    }

    private static long weight(Map<String, String> headers) {
        long weight = headers.isEmpty() ? 0 : HEADERS_OVERHEAD;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            int texts = header.getKey().length() + header.getValue().length();
            weight += HEADER_OVERHEAD + (long) BYTES_A_CHARACTER * texts;
        }
        return weight;
    }

    private static int length(String text) {
        return text == null ? 0 : text.length();
    }

    Optional<Duration> untilDeadline(Instant now) {
        return Optional.ofNullable(event).map(at -> until(at, now));
    }

    /** Returns the time until a deadline, rounded up: a sweep after that time must not be too early. */
    static Duration until(Instant event, Instant now) {
        Duration left = Duration.between(now, event);
        return left.isNegative() ? Duration.ZERO : toMillisecond(left.plusNanos(999_999));
    }

    // Times, to the millisecond as in the database

    static Instant later(Instant time, Duration duration) {
        return time == null ? null : time.plus(toMillisecond(duration));
    }

    private static Duration toMillisecond(Duration duration) {
        return Duration.ofMillis(duration.toMillis());
    }

    // Values for callers

    Task toTask() {
        return new Task(
                id,
                tube.name(),
                state,
                pri,
                attempts,
                taking == null ? 0 : taking.token(),
                Optional.ofNullable(utube),
                headers,
                data);
    }

    TaskMeta toMeta(Instant now) {
        return new TaskMeta(
                id,
                tube.name(),
                state,
                Optional.ofNullable(event),
                pri,
                Optional.ofNullable(utube),
                Optional.ofNullable(key),
                Optional.ofNullable(taking).map(held -> held.holder().session()),
                Optional.ofNullable(taking).map(Taking::at),
                created,
                Optional.ofNullable(expires).map(end -> Duration.between(created, end)),
                Optional.ofNullable(ttr),
                buried,
                taken,
                attempts,
                Optional.ofNullable(failure),
                now);
    }

    /** Returns the row as a scan shows it. */
    ScannedTask toScanned(Instant now) {
        return new ScannedTask(
                tube.id(),
                toMeta(now),
                key(),
                taking == null ? 0 : taking.holder().node(),
                data.contentType(),
                data.size());
    }
}
