package org.tasktube.sample.check;

import java.io.IOException;

/** A host has trouble of its own: the task is to come again later. */
final class HostTroubleException extends IOException {

    private static final long serialVersionUID = 1;

    HostTroubleException(Request request, int status) {
        super(request.text() + " was answered with status " + status);
    }
}
