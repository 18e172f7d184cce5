package org.tasktube.store.sql;

import java.util.UUID;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;

import static org.jboss.logging.Logger.Level.DEBUG;
import static org.jboss.logging.Logger.Level.INFO;
import static org.jboss.logging.Logger.Level.WARN;

/** Messages 180 to 189. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.store");

    @LogMessage(level = DEBUG)
    @Message(id = 180, value = "Session %s of server %d is locked by another server; the next round tries again: %s")
    void sessionIsLocked(UUID session, int node, String why);

    @LogMessage(level = DEBUG)
    @Message(id = 181, value = "Expired session %s was not ended; the next round tries again: %s")
    void sessionIsNotEnded(UUID session, String why);

    @LogMessage(level = INFO)
    @Message(id = 182, value = "TaskTube's tables were migrated from version %d to version %d; the adapter opens them")
    void migrated(int from, int to);

    @LogMessage(level = WARN)
    @Message(
            id = 183,
            value =
                    "The sequence %s was behind its table, as after a copy of the rows without it, and was raised to %d;"
                            + " if another server works on the tables that these were copied from, stop it")
    void sequenceRaised(String sequence, long to);

    @LogMessage(level = WARN)
    @Message(id = 189, value = "Schedule '%s' cannot be read, and its fire is postponed by a minute: %s")
    void scheduleUnreadable(String schedule, String why);
}
