package org.tasktube.tube;

import org.tasktube.TubeMode;
import org.tasktube.TubeModes;
import org.tasktube.session.ClientConnection;

/** The part of {@link TubeHandle} that changes the mode of a tube. It checks the texts. */
abstract class ModeCalls implements TubeModes {

    private static final String NO_REASON = "";

    /** The most characters of a refused text in its error. */
    private static final int MOST_QUOTED = 40;

    private final TubeEngine tube;
    private final TubeContext context;
    private final ClientConnection client;

    ModeCalls(TubeEngine tube, TubeContext context, ClientConnection client) {
        this.tube = tube;
        this.context = context;
        this.client = client;
    }

    @Override
    public boolean pause(String reason) {
        return pause(reason, context.server().name());
    }

    @Override
    public boolean pause(String reason, String by) {
        return set(TubeMode.PAUSED, by, checked("reason", reason));
    }

    @Override
    public boolean drain(String reason) {
        return drain(reason, context.server().name());
    }

    @Override
    public boolean drain(String reason, String by) {
        return set(TubeMode.DRAINING, by, checked("reason", reason));
    }

    @Override
    public boolean resume() {
        return resume(context.server().name());
    }

    @Override
    public boolean resume(String by) {
        return set(TubeMode.OPEN, by, NO_REASON);
    }

    private boolean set(TubeMode mode, String by, String reason) {
        client.checkOpen();
        return tube.setMode(mode, checked("by", by), reason);
    }

    private static String checked(String name, String text) {
        if (text.isBlank() || text.length() > MAX_MODE_TEXT) {
            throw new IllegalArgumentException(name + " '" + text.substring(0, Math.min(text.length(), MOST_QUOTED))
                    + "' has " + text.length() + " characters or is blank; set 1 to " + MAX_MODE_TEXT
                    + " characters, not all blank");
        }
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(name + " '" + text.replaceAll("\\p{Cc}", "?")
                    + "' has control characters, which would break a line of the log; leave them out");
        }
        return text;
    }
}
