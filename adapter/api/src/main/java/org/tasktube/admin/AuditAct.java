package org.tasktube.admin;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An act of a user, done or refused, as {@link TaskAdmin#record} keeps it. No text has a control character.
 *
 * @param who the name of the user, at most {@value #MAX_NAME} characters
 * @param right the right that the act needs, at most {@value #MAX_RIGHT} characters
 * @param act the name of the act, 1 to {@value #MAX_ACT} characters
 * @param tube the name of the tube, at most {@value #MAX_ACT} characters
 * @param task the id of the task as the user has given it, at most {@value #MAX_ACT} characters
 * @param filter the filter of the tasks, at most {@link TaskFilter#MAX_LENGTH} characters
 * @param number the number of tasks or tubes that the act has changed
 * @param reason the reason, at most {@value #MAX_NAME} characters
 * @param status the status of the answer, as of HTTP, from 100 to 599
 * @param address the network address of the user's client, at most {@value #MAX_ACT} characters
 */
public record AuditAct(
        String who,
        String right,
        String act,
        Optional<String> tube,
        Optional<String> task,
        Optional<String> filter,
        OptionalLong number,
        Optional<String> reason,
        int status,
        Optional<String> address) {

    /** The maximum length of a user's name and of a reason, in characters. */
    public static final int MAX_NAME = 255;

    /** The maximum length of a right, in characters. */
    public static final int MAX_RIGHT = 16;

    /** The maximum length of an act, of a tube's name and of a task's id, in characters. */
    public static final int MAX_ACT = 100;

    private static final int MIN_STATUS = 100;
    private static final int MAX_STATUS = 599;

    /** @throws IllegalArgumentException if a text or the status is out of its bounds */
    public AuditAct {
        check("who", who, MAX_NAME);
        check("right", right, MAX_RIGHT);
        check("act", act, MAX_ACT);
        tube.ifPresent(text -> check("tube", text, MAX_ACT));
        task.ifPresent(text -> check("task", text, MAX_ACT));
        filter.ifPresent(text -> check("filter", text, TaskFilter.MAX_LENGTH));
        reason.ifPresent(text -> check("reason", text, MAX_NAME));
        address.ifPresent(text -> check("address", text, MAX_ACT));
        Objects.requireNonNull(number, "number");
        if (act.isEmpty()) {
            throw new IllegalArgumentException("the act of the audit is empty; set its name");
        }
        if (status < MIN_STATUS || status > MAX_STATUS) {
            throw new IllegalArgumentException("the status " + status + " of the audit is out of its bounds; set "
                    + MIN_STATUS + " to " + MAX_STATUS);
        }
    }

    private static void check(String name, String text, int max) {
        if (text.length() > max || text.codePoints().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("the text '" + name + "' of the audit has " + text.length()
                    + " characters or a control character, which would break a line of a log; set at most " + max
                    + " characters without one");
        }
    }
}
