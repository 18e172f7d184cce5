package org.tasktube.inflow;

import java.time.Duration;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.Cause;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;
import org.tasktube.TubeEvent;

import static org.jboss.logging.Logger.Level.DEBUG;
import static org.jboss.logging.Logger.Level.INFO;
import static org.jboss.logging.Logger.Level.WARN;

/** Messages 200 to 299. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.inflow");

    @LogMessage(level = INFO)
    @Message(id = 200, value = "A bean waits for tube %s, which does not exist; it gets its tasks as soon as it does")
    void waitsForTube(String tube);

    @LogMessage(level = WARN)
    @Message(id = 201, value = "Task %2$d of tube %1$s failed in attempt %3$d and comes again in %4$s: %5$s")
    void failed(String tube, long task, int attempt, Duration delay, String why);

    @LogMessage(level = WARN)
    @Message(id = 202, value = "Task %2$d of tube %1$s failed in attempt %3$d, its last, and was buried: %4$s")
    void buried(String tube, long task, int attempt, String why);

    @LogMessage(level = WARN)
    @Message(id = 203, value = "The server has no bean for tube %s now; its tasks wait, and are tried again in %s: %s")
    void unavailable(String tube, Duration pause, String why);

    @LogMessage(level = WARN)
    @Message(id = 204, value = "%2$s; task %1$d was not acked by this server")
    void lost(long task, String why);

    @LogMessage(level = WARN)
    @Message(id = 205, value = "Deliveries of tube %s did not end within %s; what they ack from now on may be refused")
    void deliveriesDoNotEnd(String tube, Duration waited);

    @LogMessage(level = WARN)
    @Message(id = 206, value = "The server gave no thread to deliver tasks of tube %s; give its work manager more: %s")
    void noThread(String tube, String why);

    @LogMessage(level = WARN)
    @Message(
            id = 207,
            value = "The deadline timer bean failed; the adapter uses its own timer until it is deployed again: %s")
    void timerFailed(String why);

    @LogMessage(level = DEBUG)
    @Message(id = 208, value = "What the bean threw")
    void thrown(@Cause Throwable cause);

    @LogMessage(level = WARN)
    @Message(
            id = 209,
            value = "A bean that listens to tube %s failed at %s; the change stands, the next one is told: %s")
    void listenerBeanFailed(String tube, TubeEvent event, String why);

    @LogMessage(level = WARN)
    @Message(id = 210, value = "A bean that listens to tube %s was not told %d changes: %s")
    void changesLost(String tube, long changes, String why);
}
