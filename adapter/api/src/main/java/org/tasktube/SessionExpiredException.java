package org.tasktube;

import java.util.UUID;

/** There is no session of that id any more, or there never was. */
public final class SessionExpiredException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public SessionExpiredException(UUID session) {
        super("there is no session " + session
                + ": all its connections were closed and its ttr is over, or it never was;"
                + " what it held is ready again, take it anew");
    }
}
