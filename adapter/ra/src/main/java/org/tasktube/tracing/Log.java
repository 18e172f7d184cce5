package org.tasktube.tracing;

import org.jboss.logging.Logger;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;

import static org.jboss.logging.Logger.Level.DEBUG;
import static org.jboss.logging.Logger.Level.INFO;
import static org.jboss.logging.Logger.Level.WARN;

/** The messages 140 to 149. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.tracing");

    @LogMessage(level = INFO)
    @Message(
            id = 140,
            value = "TaskTube traces the puts and deliveries of each application that has OpenTelemetry as a CDI bean")
    void traces();

    @LogMessage(level = WARN)
    @Message(
            id = 141,
            value =
                    "OpenTelemetry failed: %s. Puts and deliveries go on, some of them without a span. This message comes"
                            + " at most once per minute")
    void failed(String why);

    @LogMessage(level = DEBUG)
    @Message(id = 142, value = "The exception: %s")
    void thrown(String description);
}
