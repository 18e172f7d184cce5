package org.tasktube.ra;

import org.jboss.logging.Logger;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;

import static org.jboss.logging.Logger.Level.WARN;

/** Messages 300 to 399. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.ra");

    @LogMessage(level = WARN)
    @Message(
            id = 300,
            value = "The pool of datasource %s has at most %d connections, and the bean on tube %s needs up to %d;"
                    + " make the pool larger, or the bean's maxSession smaller")
    void poolTooSmall(String datasource, int size, String tube, int needed);

    @LogMessage(level = WARN)
    @Message(
            id = 301,
            value = "The server gave no thread to send statistics to Graphite; TaskTube starts without. Give its work"
                    + " manager more: %s")
    void noThreadForGraphite(String why);
}
