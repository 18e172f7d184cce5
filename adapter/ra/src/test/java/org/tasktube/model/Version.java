package org.tasktube.model;

import java.util.Map;
import java.util.Optional;
import org.tasktube.TaskState;

/** One version of a task, in the model and as a store has it; the text of both is compared. Times are milliseconds. */
final class Version implements Cloneable {

    TaskState state;
    int pri;
    String data;
    Map<String, String> headers = Map.of();
    String utube;
    String key;
    long created;
    Long event;
    Long expires;
    Long ttr;
    int session = Model.NONE;
    Long takenAt;
    int attempts;
    int taken;
    int buried;
    String failure;
    String result;

    /** Its position among those of its pri; seen in what is taken first. */
    long ord;

    /** Names the taking; each store has tokens of its own. */
    int token;

    /** Made ready by its transaction otherwise than by its holder: in a sub-queue it can be taken after the commit. */
    boolean waits;

    Version copy() {
        try {
            return (Version) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    boolean isIn(TaskState wanted) {
        return state == wanted;
    }

    boolean isOver(long now) {
        return expires != null && expires <= now;
    }

    void transitionTo(TaskState to) {
        state = to;
        event = expires;
        session = Model.NONE;
        takenAt = null;
        token = 0;
        waits = false;
    }

    void becomeReady() {
        transitionTo(TaskState.READY);
        waits = true;
    }

    void delay(long until, long more) {
        transitionTo(TaskState.DELAYED);
        event = until;
        expires = expires == null ? null : Long.valueOf(expires + more);
    }

    void bury() {
        transitionTo(TaskState.BURIED);
        buried++;
    }

    /** How long until the next thing happens by itself. */
    Optional<Long> untilEvent(long now) {
        return Optional.ofNullable(event).map(time -> Math.max(0, time - now));
    }

    @Override
    public String toString() {
        return state + " pri=" + pri + " data=" + data + " headers=" + headers + " utube=" + utube + " key=" + key
                + " created=" + created
                + " event=" + event + " expires=" + expires + " ttr=" + ttr + " session=" + session + " takenAt="
                + takenAt + " attempts=" + attempts + " taken=" + taken + " buried=" + buried + " failure=" + failure
                + " result=" + result;
    }
}
