package org.tasktube.node;

import java.time.Duration;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.Cause;
import org.jboss.logging.annotations.FormatWith;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;
import org.tasktube.text.AsConfigured;

import static org.jboss.logging.Logger.Level.DEBUG;
import static org.jboss.logging.Logger.Level.ERROR;
import static org.jboss.logging.Logger.Level.INFO;
import static org.jboss.logging.Logger.Level.WARN;

/** Messages 100 to 199, but for those of a tube. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.node");

    @LogMessage(level = INFO)
    @Message(id = 100, value = "TaskTube %s is running as server %s, number %d, on %s")
    void running(String version, String name, int node, String database);

    @LogMessage(level = WARN)
    @Message(id = 101, value = "TaskTube waits for its database and goes on by itself when it can be used: %s")
    void storeUnavailable(String why);

    @LogMessage(level = WARN)
    @Message(id = 102, value = "TaskTube's database failed; the adapter waits for it and goes on by itself: %s")
    void storeFailed(String why);

    @LogMessage(level = WARN)
    @Message(
            id = 103,
            value = "This server was silent for longer than nodeTimeout (%s), and others have released what it held;"
                    + " it goes on under a new number, and what it still works on may be worked on twice,"
                    + " but is acked only once")
    void takenForDead(@FormatWith(AsConfigured.class) Duration timeout);

    @LogMessage(level = WARN)
    @Message(
            id = 104,
            value = "TaskTube's maintenance thread did not end within 10 seconds; it ends when the database answers")
    void maintenanceDoesNotEnd();

    @LogMessage(level = ERROR)
    @Message(id = 105, value = "Something that TaskTube's maintenance thread had to do failed; the thread goes on")
    void maintenanceFailed(@Cause Throwable cause);

    @LogMessage(level = DEBUG)
    @Message(
            id = 106,
            value = "The database was gone before TaskTube; what this server held is released in %s by others, or at"
                    + " its next start: %s")
    void leftUnsaid(@FormatWith(AsConfigured.class) Duration timeout, String why);

    @LogMessage(level = DEBUG)
    @Message(id = 108, value = "TaskTube's maintenance thread has been busy for %s; somebody waits for it")
    void maintenanceIsBusy(@FormatWith(AsConfigured.class) Duration since);

    @LogMessage(level = WARN)
    @Message(id = 109, value = "TaskTube's maintenance thread failed to %s; it tries again at the next time: %s")
    void pieceFailed(String what, String why);

    @LogMessage(level = DEBUG)
    @Message(id = 110, value = "TaskTube's maintenance thread left for later to %s: %s")
    void leftForLater(String what, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 111,
            value = "%d tasks were TAKEN, and no live session held them; they are READY again. Claims whose answer was"
                    + " lost leave such tasks")
    void withoutHolder(int tasks);

    @LogMessage(level = INFO)
    @Message(id = 112, value = "Server %s, number %d, is silent and taken for dead; what it held is released")
    void peerIsDead(String name, int node);

    @LogMessage(level = INFO)
    @Message(
            id = 114,
            value =
                    "TaskTube has counted the tasks in its database for %s and runs meanwhile; until that is done, tasks by"
                            + " state in its statistics are wrong")
    void countsStill(@FormatWith(AsConfigured.class) Duration since);

    @LogMessage(level = WARN)
    @Message(id = 113, value = "Work on TaskTube's background thread failed; the adapter goes on: %s")
    void backgroundWorkFailed(String why);
}
