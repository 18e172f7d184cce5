package org.tasktube.itest.beans;

/** A root cause. */
class UnknownOrderException extends RuntimeException {

    private static final long serialVersionUID = 1;

    UnknownOrderException(String message) {
        super(message);
    }
}
