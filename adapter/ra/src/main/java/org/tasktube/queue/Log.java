package org.tasktube.queue;

import java.time.Duration;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.Cause;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;
import org.tasktube.TubeEvent;

import static org.jboss.logging.Logger.Level.DEBUG;
import static org.jboss.logging.Logger.Level.ERROR;
import static org.jboss.logging.Logger.Level.INFO;
import static org.jboss.logging.Logger.Level.WARN;

/** Messages 100 to 199. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.queue");

    @LogMessage(level = INFO)
    @Message(id = 100, value = "TaskTube is running as server %s, number %d")
    void running(String name, int node);

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
    void takenForDead(Duration timeout);

    @LogMessage(level = WARN)
    @Message(id = 104, value = "TaskTube's upkeep did not end within 10 seconds; it ends when the database answers")
    void upkeepDoesNotEnd();

    @LogMessage(level = ERROR)
    @Message(id = 105, value = "Something that TaskTube's upkeep had to do failed; the upkeep goes on")
    void upkeepFailed(@Cause Throwable cause);

    @LogMessage(level = DEBUG)
    @Message(
            id = 106,
            value = "The database was gone before TaskTube; what this server held is released in %s by others, or at"
                    + " its next start: %s")
    void leftUnsaid(Duration timeout, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 107,
            value = "A listener to changes of tube '%s' failed at %s; the change stands, and the listener stays")
    void listenerFailed(String tube, TubeEvent event, @Cause Throwable cause);

    @LogMessage(level = DEBUG)
    @Message(id = 108, value = "TaskTube's upkeep has been busy for %s; somebody waits for it")
    void upkeepIsBusy(Duration since);
}
