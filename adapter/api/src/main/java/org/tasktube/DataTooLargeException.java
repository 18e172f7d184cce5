package org.tasktube;

/** The data of a task has more bytes than the adapter's {@code maxDataSize} allows. */
public final class DataTooLargeException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public DataTooLargeException(String tube, int size, int max) {
        super("the data of a task for tube '" + tube + "' has " + size + " bytes, over the limit of " + max
                + "; put a reference to the data, or raise the adapter's maxDataSize");
    }
}
