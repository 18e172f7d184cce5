package org.tasktube.itest.lanes;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.tasktube.History;
import org.tasktube.PutOptions;
import org.tasktube.TubeDefinition;

/** A tube of the chaos, of each type, with those who put and those who work in it. */
public enum Lane {
    FIFO(0),
    /** Has a history. */
    TTR(0),
    /** Gets a task from each fifth delivery of {@link #FIFO}, in the transaction of that. */
    NEXT(0),
    LIMITED(0),
    SUB(8),
    SUB_TTR(8),
    /** A task that fails comes again after a delay, and the later ones of its sub-queue wait for it. */
    STRICT(8),
    DELAYED(0),
    KEYED(0),
    /** Its tasks live for a short time, and may end unseen. */
    SHORT_LIVED(0),
    /** Has no bean: it is taken from, and each ack has a result, which the other server is asked for. */
    RESULT(0),
    /** Has no bean: half of its takes release. It has a history. */
    RELEASED(0),
    /** Has no bean: it is taken from by sessions that are without a connection then, and ack on the other server. */
    SESSION(0),
    TEMPORARY(0),
    TEMPORARY_SUB(8);

    /** The time of those lanes that have one. */
    public static final Duration RUN_TIME = Duration.ofSeconds(3);

    public static final int CAPACITY = 200;

    public static final Duration DELAY = Duration.ofMillis(400);
    public static final Duration LIFE = Duration.ofSeconds(2);
    /** How long a result stays, and a session without a connection. */
    public static final Duration KEPT = Duration.ofSeconds(3);

    /** The answer of a server that has no such result or session. */
    public static final String GONE = "gone";

    public static final int KEYS = 40;

    private final int subQueues;

    Lane(int subQueues) {
        this.subQueues = subQueues;
    }

    public String tube() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the number of sub-queues, 0 for none. */
    public int subQueues() {
        return subQueues;
    }

    public boolean isOrdered() {
        return subQueues > 0;
    }

    /** Whether a task that fails may come again after a delay: in a sub-queue the next one would go first. */
    public boolean hasRetryDelay() {
        return !isOrdered() || this == STRICT;
    }

    public boolean hasBean() {
        return this != RESULT && this != RELEASED && this != SESSION;
    }

    public boolean hasRunTime() {
        return this == TTR || this == SUB_TTR || this == LIMITED;
    }

    /** Whether its tasks end with a crash of the database. */
    public boolean isTemporary() {
        return this == TEMPORARY || this == TEMPORARY_SUB;
    }

    /** Whether each task must have been worked on in the end. */
    public boolean isKept() {
        return !isTemporary() && this != SHORT_LIVED;
    }

    /** Whether each committed put of a number has put it: a full tube and a task of the same key put nothing. */
    public boolean putsWhatIsAsked() {
        return this != LIMITED && this != KEYED && this != NEXT;
    }

    TubeDefinition definition() {
        return switch (this) {
            case FIFO, RESULT, SESSION -> TubeDefinition.of(tube(), TubeDefinition.FIFO);
            case NEXT, DELAYED, KEYED, SHORT_LIVED -> TubeDefinition.fifottl(tube());
            case RELEASED -> TubeDefinition.fifo(tube()).history(History.ALL);
            case TTR -> TubeDefinition.fifottl(tube()).ttr(RUN_TIME).history(History.ALL);
            case LIMITED -> TubeDefinition.limfifottl(tube(), CAPACITY).ttr(RUN_TIME);
            case SUB -> TubeDefinition.utube(tube());
            case STRICT -> TubeDefinition.utubettl(tube()).strict();
            case SUB_TTR -> TubeDefinition.utubettl(tube()).ttr(RUN_TIME);
            case TEMPORARY -> TubeDefinition.fifottl(tube()).asTemporary();
            case TEMPORARY_SUB -> TubeDefinition.utube(tube()).asTemporary();
        };
    }

    PutOptions options(String sub) {
        PutOptions plain = PutOptions.defaults();
        return switch (this) {
            case DELAYED -> plain.delay(DELAY);
            case SHORT_LIVED -> plain.ttl(LIFE);
            case SUB, SUB_TTR, STRICT, TEMPORARY_SUB -> plain.utube(sub);
            default -> plain;
        };
    }

    /** Returns the key of a task, if the lane has keys. */
    Optional<String> key(long number) {
        return this == KEYED ? Optional.of("key-" + number % KEYS) : Optional.empty();
    }
}
