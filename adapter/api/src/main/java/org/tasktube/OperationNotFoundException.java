package org.tasktube;

/** No operation has the id: it never existed, or it ended more than 90 days ago. */
public final class OperationNotFoundException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public OperationNotFoundException(long id) {
        super("operation " + id + " was not found: it never existed, or it ended more than 90 days ago;"
                + " list the operations to see those that exist");
    }
}
