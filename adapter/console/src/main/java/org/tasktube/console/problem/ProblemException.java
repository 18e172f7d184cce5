package org.tasktube.console.problem;

/** A request that the console refuses itself. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final Kind kind;

    /**
     * Creates a refusal.
     *
     * @param detail the fault and the next step, for the caller
     */
    public ProblemException(Kind kind, String detail) {
        super(detail);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
