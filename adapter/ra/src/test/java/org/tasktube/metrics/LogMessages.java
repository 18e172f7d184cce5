package org.tasktube.metrics;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import static org.assertj.core.api.Assertions.assertThat;

/** What this package says in the log. */
final class LogMessages extends Handler {

    private final Logger logger = Logger.getLogger("org.tasktube.metrics");
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    LogMessages() {
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        records.add(record);
    }

    /** The messages since the last call, none with a trace. */
    List<String> next() {
        assertThat(records).allMatch(record -> record.getThrown() == null);
        List<String> messages = records.stream().map(LogRecord::getMessage).toList();
        records.clear();
        return messages;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
