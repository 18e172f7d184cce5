package org.tasktube.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What a package says in the log, from INFO up, as an operator reads it. */
public final class LogLines extends Handler implements AutoCloseable {

    private final Logger logger;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    public LogLines(String category) {
        logger = Logger.getLogger(category);
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= Level.INFO.intValue() && !isOfSimulation()) {
            lines.add(record.getLevel() + " " + record.getMessage());
        }
    }

    /** The simulation works beside other tests. */
    public static boolean isOfSimulation() {
        return Thread.currentThread().getName().equals("actor");
    }

    /** The lines with an id, so far. */
    public List<String> of(String id) {
        return lines.stream().filter(line -> line.contains(id)).toList();
    }

    /** The first line with an id; waits for it. */
    public String first(String id) {
        Eventually.holds(() -> !of(id).isEmpty(), "a line " + id + " in " + lines);
        return of(id).get(0);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
