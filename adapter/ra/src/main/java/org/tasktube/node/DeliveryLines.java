package org.tasktube.node;

import java.lang.reflect.Method;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.store.StoredTube;

/**
 * Keeps the lines that are logged on the thread of a bean during a delivery. It is a handler of the server's root
 * logger, which sees what the server's levels let through. If the adapter keeps no lines, there is no handler, and a
 * delivery does nothing for it.
 */
public final class DeliveryLines extends Handler {

    /** The longest line, in characters. */
    static final int LONGEST = 500;

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");
    private static final Formatter PLAIN = new SimpleFormatter();

    private final int most;
    private final DeliveryLogWriter writer;
    private static final ThreadLocal<Lines> CURRENT = new ThreadLocal<>();

    /** The lines of one delivery. */
    private static final class Lines {
        private final DeliveryLines keeper;
        private final List<String> kept = new ArrayList<>();
        private int leftOut;

        Lines(DeliveryLines keeper) {
            this.keeper = keeper;
        }
    }

    /** @param most the most lines per delivery; 0 for none */
    DeliveryLines(int most, DeliveryLogWriter writer) {
        this.most = most;
        this.writer = writer;
    }

    /** Begins to see what is logged. */
    public void attach() {
        if (most > 0) {
            Logger.getLogger("").addHandler(this);
        }
    }

    public void detach() {
        Logger.getLogger("").removeHandler(this);
    }

    /** Begins to keep what the calling thread logs. */
    public void begin() {
        if (most > 0) {
            CURRENT.set(new Lines(this));
        }
    }

    /** Ends that, and has the lines written for these tasks. */
    public void end(StoredTube tube, List<Task> tasks) {
        Lines lines = CURRENT.get();
        if (lines == null) {
            return;
        }
        CURRENT.remove();
        if (!lines.kept.isEmpty()) {
            if (lines.leftOut > 0) {
                lines.kept.add("… " + lines.leftOut + " more lines");
            }
            writer.add(tube, tasks, List.copyOf(lines.kept));
        }
    }

    @Override
    public void publish(LogRecord line) {
        Lines lines = CURRENT.get();
        if (lines == null || lines.keeper != this) {
            return;
        }
        if (lines.kept.size() < most) {
            lines.kept.add(text(line));
        } else {
            lines.leftOut++;
        }
    }

    private static String text(LogRecord line) {
        String thrown = line.getThrown() == null ? "" : ": " + TaskFailure.summary(line.getThrown());
        String text = TIME.format(Instant.ofEpochMilli(line.getMillis()).atZone(ZoneId.systemDefault())) + " "
                + line.getLevel() + " [" + line.getLoggerName() + "] " + message(line) + thrown;
        String oneLine = text.replaceAll("[\\r\\n\\u0000]+", " ");
        return oneLine.length() <= LONGEST ? oneLine : oneLine.substring(0, LONGEST - 1) + "…";
    }

    /** Returns the message with its parameters. Records of the server have a method for it, in a class of its own. */
    private static String message(LogRecord line) {
        try {
            Method formatted = line.getClass().getMethod("getFormattedMessage");
            return String.valueOf(formatted.invoke(line));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return PLAIN.formatMessage(line);
        }
    }

    @Override
    public void flush() {
        // Nothing is buffered here
    }

    @Override
    public void close() {
        // The server closes its handlers at its end, and the adapter has detached this one before
    }
}
