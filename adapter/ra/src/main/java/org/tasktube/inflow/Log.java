package org.tasktube.inflow;

import java.time.Duration;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.FormatWith;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;
import org.tasktube.TaskFailure;
import org.tasktube.TubeEvent;
import org.tasktube.text.AsConfigured;

import static org.jboss.logging.Logger.Level.DEBUG;
import static org.jboss.logging.Logger.Level.ERROR;
import static org.jboss.logging.Logger.Level.WARN;

/** The messages 200 to 299. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.inflow");

    @LogMessage(level = WARN)
    @Message(
            id = 200,
            value = "Bean %s waits for tube %s, which does not exist; it gets tasks as soon as the tube is created. If"
                    + " no application creates it, correct the bean's property tube")
    void waitsForTube(String bean, String tube);

    @LogMessage(level = WARN)
    @Message(id = 201, value = "Task %2$d of tube %1$s failed in attempt %3$d and is retried in %4$s: %5$s")
    void failed(String tube, long task, int attempt, @FormatWith(AsConfigured.class) Duration delay, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 216,
            value = "A bean failed on task %2$d of tube %1$s in attempt %3$d, but no longer held the task: the bean had"
                    + " ended it, its time was over, another server had released it, or it was deleted; the adapter"
                    + " does not change it: %4$s")
    void failedUnheld(String tube, long task, int attempt, String why);

    @LogMessage(level = WARN)
    @Message(id = 202, value = "Task %2$d of tube %1$s failed in attempt %3$d, its last, and is buried: %4$s")
    void buried(String tube, long task, int attempt, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 203,
            value = "The server does not allow bean %s to work now; the tasks of tube %s wait, their attempts do not"
                    + " count, and they are retried in %s: %s")
    void unavailable(String bean, String tube, @FormatWith(AsConfigured.class) Duration pause, String why);

    @LogMessage(level = WARN)
    @Message(id = 204, value = "%2$s; this server did not ack task %1$d")
    void lost(long task, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 205,
            value = "Deliveries of tube %s did not end within %s; the server continues, and their acks may be refused")
    void deliveriesDoNotEnd(String tube, @FormatWith(AsConfigured.class) Duration waited);

    @LogMessage(level = WARN)
    @Message(
            id = 206,
            value = "The server gives bean %s on tube %s too few threads: %d of %d (%s). Other servers may take the"
                    + " tasks that wait for a thread; raise tasktube.threads, or lower maxSession")
    void noThread(String bean, String tube, int running, int wanted, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 207,
            value = "The deadline timer bean failed; the adapter uses its own timer until it is deployed again: %s")
    void timerFailed(String why);

    @LogMessage(level = DEBUG)
    @Message(id = 208, value = "The exception: %s")
    void thrown(String description);

    /** Logs an exception as text, because a logger that gets an application's exception calls its methods. */
    default void thrown(Throwable thrown) {
        thrown(TaskFailure.describe(thrown));
    }

    @LogMessage(level = WARN)
    @Message(
            id = 209,
            value = "A bean that listens to tube %s failed at %s; the change stands, and the bean gets the next: %s")
    void listenerBeanFailed(String tube, TubeEvent event, String why);

    @LogMessage(level = WARN)
    @Message(id = 210, value = "A bean that listens to tube %s missed %d changes: %s")
    void changesLost(String tube, long changes, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 211,
            value = "Bean %s gets no tasks of tube %s yet: the server gave no thread to claim them (%s). It gets them"
                    + " when a thread is free; raise tasktube.threads, or lower the maxSession of other beans")
    void noClaimer(String bean, String tube, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 212,
            value = "The server's pool had no instance of bean %s free for a task of tube %s: it is smaller than"
                    + " maxSession (%d). The task is released, its attempt does not count, and the bean works on"
                    + " at most %d tasks at once until it is activated again; raise the pool's size"
                    + " (tasktube.mdb-pool-size), or lower maxSession: %s")
    void noInstance(String bean, String tube, int maxSession, int now, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 213,
            value = "Task %d of tube %s could not be acked because TaskTube was not RUNNING; the task is released when"
                    + " the adapter is RUNNING, and its attempt does not count: %s")
    void adapterAway(long task, String tube, String why);

    @LogMessage(level = ERROR)
    @Message(id = 214, value = "The thread that gets tasks for bean %s on tube %s failed; it continues in %s: %s")
    void feedFailed(String bean, String tube, @FormatWith(AsConfigured.class) Duration pause, String why);

    @LogMessage(level = ERROR)
    @Message(id = 220, value = "Bean %s gets no tasks: %s; it looks again each %s")
    void cannotCreate(String bean, String why, @FormatWith(AsConfigured.class) Duration retry);

    @LogMessage(level = WARN)
    @Message(
            id = 215,
            value =
                    "The claims of bean %s on tube %s fail while the adapter is RUNNING: the connection was lost, or the"
                            + " database refuses them; the adapter retries them each %s, and logs this once per minute: %s")
    void claimRefused(String bean, String tube, @FormatWith(AsConfigured.class) Duration retry, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 217,
            value = "Bean %s got no connection to a database for task %d of tube %s; the task is released, its attempt"
                    + " does not count, and the bean goes on in %s: %s")
    void noConnection(String bean, long task, String tube, @FormatWith(AsConfigured.class) Duration pause, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 218,
            value = "A resource came into the transaction of the delivery of task %d of tube %s after the last question"
                    + " for resources, so its work has committed before the ack. From now on the acks of this bean are"
                    + " part of its transactions; set gatherAcks=false to have that from the start")
    void lateResource(long task, String tube);

    @LogMessage(level = WARN)
    @Message(
            id = 219,
            value = "A batch of %2$d tasks of tube %1$s failed; each is delivered again by itself now, and no attempt"
                    + " counts yet: %3$s")
    void batchFailed(String tube, int tasks, String why);
}
