package org.tasktube.metrics;

import java.time.Duration;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;

import static org.jboss.logging.Logger.Level.DEBUG;
import static org.jboss.logging.Logger.Level.INFO;
import static org.jboss.logging.Logger.Level.WARN;

/** The messages 400 to 499. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.metrics");

    @LogMessage(level = WARN)
    @Message(
            id = 400,
            value = "Graphite at %s does not accept TaskTube's statistics; TaskTube works, and tries again each %s: %s")
    void away(String address, Duration interval, String why);

    @LogMessage(level = INFO)
    @Message(id = 401, value = "Graphite at %s accepts TaskTube's statistics again")
    void back(String address);

    @LogMessage(level = DEBUG)
    @Message(
            id = 404,
            value =
                    "The ages of the oldest READY tasks could not be read: %s; they are missing, and are read again after"
                            + " a second")
    void agesNotRead(String why);
}
