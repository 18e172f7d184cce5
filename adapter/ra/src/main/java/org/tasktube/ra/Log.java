package org.tasktube.ra;

import java.time.Duration;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.FormatWith;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;
import org.tasktube.text.AsConfigured;

import static org.jboss.logging.Logger.Level.ERROR;
import static org.jboss.logging.Logger.Level.WARN;

/** The messages 300 to 399. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.ra");

    @LogMessage(level = WARN)
    @Message(
            id = 300,
            value = "The pool of datasource %s has at most %d connections, and all active beans and TaskTube together"
                    + " need up to %d; beans may wait, and with fewer than 3 TaskTube does not start. Raise the pool's size,"
                    + " or lower maxSession")
    void poolTooSmall(String datasource, int size, int needed);

    @LogMessage(level = WARN)
    @Message(
            id = 301,
            value = "The server gave no thread to send statistics to Graphite; TaskTube starts without them. Raise"
                    + " tasktube.threads, and reload: %s")
    void noThreadForGraphite(String why);

    @LogMessage(level = ERROR)
    @Message(
            id = 303,
            value = "Bean %s gets no tasks, because it cannot be activated: %s. The server continues; correct the"
                    + " property, and deploy the bean again")
    void notFed(String bean, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 304,
            value = "The server gave no thread for TaskTube's own work; TaskTube asks again in %s. Raise"
                    + " tasktube.threads: %s")
    void noThread(@FormatWith(AsConfigured.class) Duration pause, String why);
}
