package org.tasktube.node;

import java.time.Duration;
import java.time.Instant;
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

/** The messages 100 to 199, except those of a tube. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.node");

    @LogMessage(level = INFO)
    @Message(id = 100, value = "TaskTube %s is running as server %s, number %d, on %s")
    void running(String version, String name, int node, String database);

    @LogMessage(level = WARN)
    @Message(id = 101, value = "TaskTube waits for its database, and resumes by itself when the database is usable: %s")
    void storeUnavailable(String why);

    @LogMessage(level = WARN)
    @Message(id = 102, value = "TaskTube's database failed; the adapter waits for it, and resumes by itself: %s")
    void storeFailed(String why);

    @LogMessage(level = WARN)
    @Message(
            id = 103,
            value = "This server was silent for longer than nodeTimeout (%s), and other servers have released its"
                    + " tasks; it continues under a new number. Two beans may work on one of these tasks, but only one"
                    + " can ack it")
    void takenForDead(@FormatWith(AsConfigured.class) Duration timeout);

    @LogMessage(level = WARN)
    @Message(
            id = 104,
            value = "TaskTube's maintenance thread did not end within 10 s; it ends when the database answers")
    void maintenanceDoesNotEnd();

    @LogMessage(level = ERROR)
    @Message(
            id = 105,
            value = "A step of TaskTube's maintenance thread failed; the thread continues. Report this fault of"
                    + " TaskTube")
    void maintenanceFailed(@Cause Throwable cause);

    @LogMessage(level = DEBUG)
    @Message(
            id = 106,
            value = "The database was gone before TaskTube's stop; other servers release this server's tasks in %s, or"
                    + " its own next start does: %s")
    void leftUnsaid(@FormatWith(AsConfigured.class) Duration timeout, String why);

    @LogMessage(level = DEBUG)
    @Message(id = 108, value = "TaskTube's maintenance thread has been busy for %s, and another thread waits for it")
    void maintenanceIsBusy(@FormatWith(AsConfigured.class) Duration since);

    @LogMessage(level = WARN)
    @Message(id = 109, value = "A piece of maintenance failed (%s); it is repeated at its next time: %s")
    void pieceFailed(String what, String why);

    @LogMessage(level = DEBUG)
    @Message(id = 110, value = "A piece of maintenance is postponed until the adapter is RUNNING (%s): %s")
    void leftForLater(String what, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 111,
            value = "%d tasks were TAKEN without a live session that held them; they are READY again. Such tasks come"
                    + " from claims whose answer was lost, and from servers that others took for dead")
    void withoutHolder(int tasks);

    @LogMessage(level = WARN)
    @Message(id = 112, value = "Server %s, number %d, is silent and counts as dead; this server releases its tasks")
    void peerIsDead(String name, int node);

    @LogMessage(level = INFO)
    @Message(
            id = 114,
            value = "TaskTube has counted the tasks in its database for %s and continues; it runs now, but until the"
                    + " count is done, tasks by state in its statistics are wrong")
    void countsStill(@FormatWith(AsConfigured.class) Duration since);

    @LogMessage(level = WARN)
    @Message(
            id = 113,
            value = "Work on TaskTube's background thread failed; the adapter continues, and tries again at the next"
                    + " time: %s")
    void backgroundWorkFailed(String why);

    @LogMessage(level = WARN)
    @Message(
            id = 163,
            value = "The log lines of some deliveries are left out: those of %d deliveries wait for the database. Lower"
                    + " the property deliveryLogLines, or the levels of the server's loggers")
    void logsLeftOut(int waiting);

    @LogMessage(level = WARN)
    @Message(
            id = 160,
            value = "A notice that this server sent through the database did not come back within %s, as behind a pool"
                    + " that gives each transaction another connection; tasks of other servers are found by polls, and"
                    + " notices are tried again each 5m. If there is such a pool, set the property notify to false")
    void noticesLost(@FormatWith(AsConfigured.class) Duration patience);

    @LogMessage(level = INFO)
    @Message(id = 161, value = "The notices of this server and the others arrive again")
    void noticesArrive();

    @LogMessage(level = WARN)
    @Message(
            id = 162,
            value = "This server cannot listen for notices of other servers, and tries again in %s; until then their"
                    + " tasks are found by polls: %s")
    void listensNot(@FormatWith(AsConfigured.class) Duration pause, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 164,
            value = "A connection to the database was lost, and the server refused to close the idle ones of its pool;"
                    + " each of them may fail once, until the background validation of the pool removes it: %s")
    void poolNotFlushed(String why);

    @LogMessage(level = INFO)
    @Message(
            id = 167,
            value =
                    "A fire of schedule '%s' for tube '%s' was skipped: %s. Further ones for this reason are counted until it"
                            + " fires")
    void scheduleSkipped(String schedule, String tube, String reason);

    @LogMessage(level = WARN)
    @Message(
            id = 166,
            value =
                    "A fire of schedule '%s' was skipped, because tube '%s' refuses its task: %s. Make the schedule anew"
                            + " with other options, or remove it")
    void scheduleRefused(String schedule, String tube, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 165,
            value = "The transaction of %s is open since %s, for %s; until it ends, the database keeps the dead rows of"
                    + " all tables, so they grow, and takes become slower. If it is not meant so, %s")
    void oldTransaction(String holder, Instant since, @FormatWith(AsConfigured.class) Duration age, String nextStep);
}
