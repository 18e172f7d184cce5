package org.tasktube;

import java.util.UUID;

/** The session belongs to another owner than the caller has named, or to none. */
public final class SessionOwnerException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public SessionOwnerException(UUID session, String owner) {
        super("session " + session + " does not belong to " + owner + "; take tasks in a session of your own");
    }
}
