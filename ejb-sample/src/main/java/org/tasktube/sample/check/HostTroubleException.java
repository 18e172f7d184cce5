package org.tasktube.sample.check;

import java.io.IOException;

/** The host has a fault of its own, so the task is to be retried later. */
final class HostTroubleException extends IOException {

    private static final long serialVersionUID = 1;

    HostTroubleException(Request request, int status) {
        super(request.text() + " was answered with status " + status);
    }
}
