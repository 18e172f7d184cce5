package org.tasktube;

/** The tube is TaskTube's own. Applications can read, pause, drain and resume it, and nothing else. */
public final class OwnTubeException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public OwnTubeException(String message) {
        super(message);
    }
}
