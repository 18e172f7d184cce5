package org.tasktube.console.audit;

import jakarta.enterprise.context.RequestScoped;
import jakarta.ws.rs.core.Response.Status;
import java.util.Optional;
import java.util.OptionalLong;
import org.tasktube.admin.AuditAct;
import org.tasktube.admin.TaskFilter;

/** The values of the audit that are known of this request so far. */
@RequestScoped
public class Audit {

    private static final String CUT = "…";
    private static final String UNDELIVERED = "undelivered";

    private boolean begun;
    private boolean recorded;
    private boolean changedNothing;
    private String who = "";
    private String right = "";
    private String act = "";
    private String address = "";
    private Optional<String> reason = Optional.empty();
    private Optional<String> filter = Optional.empty();
    private Optional<String> tube = Optional.empty();
    private Optional<String> task = Optional.empty();
    private OptionalLong number = OptionalLong.empty();

    /** Notes the user with the address of the client, and the act. */
    public void begin(String user, String from, String needs, String name) {
        begun = true;
        who = user;
        address = from;
        right = needs;
        act = name;
    }

    /** Notes a more exact name of the act. */
    public void act(String name) {
        act = name;
    }

    public boolean hasBegun() {
        return begun;
    }

    /** Notes that the act has committed, with its row. */
    public void recorded() {
        recorded = true;
    }

    /**
     * Notes that the tasks of a recorded take went back to their tube, since the client has no whole answer. This is an
     * act with a row of its own.
     */
    public void undelivered() {
        act = UNDELIVERED;
        recorded = false;
    }

    /** Notes that the request has changed nothing, so that the audit has neither line nor row of it. */
    public void changedNothing() {
        changedNothing = true;
    }

    public boolean hasChangedNothing() {
        return changedNothing;
    }

    public boolean isRecorded() {
        return recorded;
    }

    public void reason(String value) {
        reason = Optional.of(value);
    }

    public void filter(String value) {
        filter = Optional.of(value);
    }

    /** Notes how many tasks or tubes the act has changed. */
    public void number(long value) {
        number = OptionalLong.of(value);
    }

    public void tube(String value) {
        tube = Optional.of(value);
    }

    public void task(String value) {
        task = Optional.of(value);
    }

    /** Returns the name of the user; empty if the request has none. */
    public String who() {
        return who;
    }

    /**
     * Returns the act with the status of its answer. A refused act has changed nothing, and its texts are cut to their
     * bounds.
     */
    public AuditAct act(int status) {
        return new AuditAct(
                kept(who, AuditAct.MAX_NAME),
                kept(right, AuditAct.MAX_RIGHT),
                kept(act, AuditAct.MAX_ACT),
                tube.map(text -> kept(text, AuditAct.MAX_ACT)),
                task.map(text -> kept(text, AuditAct.MAX_ACT)),
                filter.map(text -> kept(text, TaskFilter.MAX_LENGTH)),
                status < Status.BAD_REQUEST.getStatusCode() ? number : OptionalLong.empty(),
                reason.map(text -> kept(text, AuditAct.MAX_NAME)),
                status,
                Optional.of(kept(address, AuditAct.MAX_ACT)).filter(text -> !text.isEmpty()));
    }

    /** The database keeps no NUL, and no half of a surrogate pair. */
    static String kept(String text, int max) {
        StringBuilder kept = new StringBuilder();
        text.codePoints()
                .map(point -> isKept(point) ? point : '\uFFFD')
                .takeWhile(point -> kept.length() <= max)
                .forEach(kept::appendCodePoint);
        if (kept.length() <= max) {
            return kept.toString();
        }
        int end = max - CUT.length();
        return kept.substring(0, Character.isHighSurrogate(kept.charAt(end - 1)) ? end - 1 : end) + CUT;
    }

    private static boolean isKept(int point) {
        return !Character.isISOControl(point) && Character.getType(point) != Character.SURROGATE;
    }
}
