package org.tasktube.console.metrics;

import java.time.Duration;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;

import static org.jboss.logging.Logger.Level.INFO;

/** Messages 520 to 529. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.console");

    @LogMessage(level = INFO)
    @Message(
            id = 520,
            value = "The server has a registry of Micrometer; the console writes TaskTube's metrics into it each %s")
    void micrometer(Duration interval);
}
