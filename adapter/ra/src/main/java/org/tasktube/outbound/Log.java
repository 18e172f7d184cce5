package org.tasktube.outbound;

import java.time.Duration;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.FormatWith;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;
import org.tasktube.text.AsConfigured;

import static org.jboss.logging.Logger.Level.WARN;

/** The messages 130 to 139. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.outbound");

    @LogMessage(level = WARN)
    @Message(
            id = 130,
            value = "An application did not close the connection to TaskTube that it got %2$s ago at %1$s; the server"
                    + " has reclaimed it, and its session ends. Close each connection where you get it, by"
                    + " try-with-resources. This is logged once per minute and place; since the last log %3$d more"
                    + " were left open there")
    void leaked(String place, @FormatWith(AsConfigured.class) Duration age, int since);
}
