package org.tasktube;

/** The tube holds as many tasks as it can. */
public final class TubeFullException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public TubeFullException(String tube, String limit) {
        super("tube '" + tube + "' is full: " + limit
                + "; put with a timeout to wait for free capacity, or put again later");
    }
}
