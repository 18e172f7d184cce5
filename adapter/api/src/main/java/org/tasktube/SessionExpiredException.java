package org.tasktube;

import java.util.UUID;

/** The session has expired, or never existed. */
public final class SessionExpiredException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public SessionExpiredException(UUID session) {
        super("session " + session + " does not exist: its last connection was closed and its time has expired,"
                + " or it never existed; its tasks are READY again, so take them anew");
    }
}
