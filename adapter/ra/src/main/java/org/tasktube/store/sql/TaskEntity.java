package org.tasktube.store.sql;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;

/** A row of one of the two tables of tasks. It is only read; {@link Statements} has all changes. */
@MappedSuperclass
abstract class TaskEntity {

    /** A row of {@code tasktube_task}. */
    @Entity(name = "Task")
    @Table(name = "tasktube_task")
    static class Durable extends TaskEntity {}

    /** A row of {@code tasktube_temporary}. */
    @Entity(name = "TemporaryTask")
    @Table(name = "tasktube_temporary")
    static class Temporary extends TaskEntity {}

    @Id
    private long id;

    @Column(name = "tube_id", nullable = false)
    private int tubeId;

    @Column(nullable = false, length = 1)
    private char state;

    @Column(nullable = false)
    private int pri;

    /** The position among the tasks of the same pri. */
    @Column(nullable = false)
    private long ord;

    @Column(name = "created_at", nullable = false)
    private Instant createdAt;

    /** The deadline of the task in its state; null without one. */
    @Column(name = "event_at")
    private Instant eventAt;

    /** The end of the ttl; null without one. */
    @Column(name = "expires_at")
    private Instant expiresAt;

    @Column(name = "ttr_ms")
    private Long ttr;

    private UUID session;

    private Long token;

    /** The number of the holder's server. */
    @SuppressWarnings("UnusedVariable") // checked against the table with the rest
    private Integer node;

    @Column(name = "taken_at")
    private Instant takenAt;

    @Column(nullable = false)
    private int attempts;

    @Column(name = "taken_count", nullable = false)
    private int takenCount;

    @Column(name = "buried_count", nullable = false)
    private int buriedCount;

    private String utube;

    /** True for a READY task of a sub-queue that is not its head, or not promoted yet. */
    @SuppressWarnings("UnusedVariable") // used in queries
    @Column(nullable = false)
    private boolean blocked;

    /** The unique key, while the task is not DONE. */
    @Column(name = "live_key", length = Tube.MAX_KEY)
    private String liveKey;

    @Column(name = "content_type", nullable = false, length = TaskData.MAX_CONTENT_TYPE)
    private String contentType;

    @Column(nullable = false)
    private byte[] data;

    /** The headers as JSON; null for none. */
    private String headers;

    @Column(name = "error_type", length = TaskFailure.MAX_TYPE)
    private String errorType;

    @Column(name = "error_message", length = TaskFailure.MAX_MESSAGE)
    private String errorMessage;

    @Column(name = "error_trace", length = TaskFailure.MAX_TRACE)
    private String errorTrace;

    /** The kind of the last failure. */
    private Long failure;

    @Column(name = "failed_at")
    @SuppressWarnings("UnusedVariable") // checked against the table with the rest
    private Instant failedAt;

    /** The outcome: c for completed, r for rejected. */
    @Column(length = 1)
    private Character outcome;

    @Column(name = "result_ttl_ms")
    private Long resultTtl;

    @Column(name = "result_type", length = TaskData.MAX_CONTENT_TYPE)
    private String resultType;

    private byte[] result;

    Task toTask(String tube) {
        return new Task(
                id,
                tube,
                TaskState.of(state),
                pri,
                attempts,
                token == null ? 0 : token,
                Optional.ofNullable(utube),
                HeadersJson.read(headers),
                TaskData.of(contentType, data));
    }

    Optional<Long> failure() {
        return Optional.ofNullable(failure);
    }

    /** @param kind the row of the failure's kind; empty if it is missing */
    TaskMeta toMeta(String tube, Optional<FailureEntity> kind, Instant now) {
        return new TaskMeta(
                id,
                tube,
                TaskState.of(state),
                Optional.ofNullable(eventAt),
                pri,
                Optional.ofNullable(utube),
                Optional.ofNullable(liveKey),
                Optional.ofNullable(session),
                Optional.ofNullable(takenAt),
                createdAt,
                Optional.ofNullable(expiresAt).map(end -> Duration.between(createdAt, end)),
                Optional.ofNullable(ttr).map(Duration::ofMillis),
                buriedCount,
                takenCount,
                attempts,
                failure().map(number -> toFailure(number, kind)),
                now);
    }

    private TaskFailure toFailure(long number, Optional<FailureEntity> kind) {
        return new TaskFailure(
                errorType,
                errorMessage,
                errorTrace,
                kind.map(FailureEntity::toFingerprint)
                        .orElseGet(() -> RestoredKind.of(number, errorType, errorMessage, errorTrace)));
    }

    Optional<TaskResult> toResult() {
        if (outcome == null) {
            return Optional.empty();
        }
        TaskResult.Outcome how = outcome == 'c' ? TaskResult.Outcome.COMPLETED : TaskResult.Outcome.REJECTED;
        return Optional.of(new TaskResult(how, TaskData.of(resultType, result), Duration.ofMillis(resultTtl)));
    }
}
