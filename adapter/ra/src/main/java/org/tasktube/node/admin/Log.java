package org.tasktube.node.admin;

import java.time.Duration;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.FormatWith;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;
import org.tasktube.admin.OperationState;
import org.tasktube.text.AsConfigured;

import static org.jboss.logging.Logger.Level.DEBUG;
import static org.jboss.logging.Logger.Level.INFO;
import static org.jboss.logging.Logger.Level.WARN;

/** The messages 150 to 159. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.node");

    @LogMessage(level = INFO)
    @Message(
            id = 150,
            value = "Operation %d begins on server %s, or continues there after the last batch of another server")
    void operationBegins(long id, String server);

    @LogMessage(level = INFO)
    @Message(id = 151, value = "Operation %d is %s: it has changed %d tasks and skipped %d; the next operation follows")
    void operationEnded(long id, OperationState state, long changed, long skipped);

    @LogMessage(level = WARN)
    @Message(
            id = 152,
            value =
                    "A batch of operation %d failed and is repeated in %s; it has failed %d times in a row, and %d times"
                            + " end the operation, unless the database is away: %s")
    void batchFailed(
            long id, @FormatWith(AsConfigured.class) Duration pause, int failures, int maxFailures, String why);

    @LogMessage(level = WARN)
    @Message(id = 153, value = "A piece of work on operations failed (%s); it is repeated at its next time: %s")
    void pieceFailed(String what, String why);

    @LogMessage(level = DEBUG)
    @Message(id = 154, value = "A piece of work on operations is postponed until the adapter is RUNNING (%s): %s")
    void leftForLater(String what, String why);
}
