package org.tasktube.node;

import java.time.Duration;
import java.util.UUID;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Checks the arguments of the calls that identify a session. */
final class SessionArguments {

    private static final Duration LONGEST_KEEP = Duration.ofDays(1);

    private static final int LONGEST_OWNER = 255;

    private SessionArguments() {}

    static Duration checkedKeep(Duration keep) {
        if (keep.isNegative() || keep.compareTo(LONGEST_KEEP) > 0) {
            throw new IllegalArgumentException("the time " + keep + " to keep a session is out of its bounds; set 0 to "
                    + LONGEST_KEEP.toDays() + " day");
        }
        return keep;
    }

    static String checkedOwner(String owner) {
        if (owner.isEmpty()
                || owner.length() > LONGEST_OWNER
                || owner.indexOf('\0') >= 0
                || !UTF_8.newEncoder().canEncode(owner)) {
            throw new IllegalArgumentException("the owner of a session has " + owner.length()
                    + " characters, a NUL, or half of a surrogate pair; set 1 to " + LONGEST_OWNER
                    + " characters without these");
        }
        return owner;
    }

    static UUID parsed(String text) {
        try {
            UUID id = UUID.fromString(text);
            if (id.toString().equalsIgnoreCase(text)) {
                return id;
            }
        } catch (IllegalArgumentException e) {
            throw notAnId(text, e);
        }
        throw notAnId(text, null);
    }

    private static IllegalArgumentException notAnId(String text, Exception cause) {
        return new IllegalArgumentException(
                "'" + text + "' is not the id of a session: it takes a UUID, as identify() gives it", cause);
    }
}
