package org.tasktube.tube;

import java.time.Instant;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.Cause;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;
import org.tasktube.TubeEvent;

import static org.jboss.logging.Logger.Level.ERROR;
import static org.jboss.logging.Logger.Level.INFO;
import static org.jboss.logging.Logger.Level.WARN;

/** The messages 107, and 115 to 119. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.tube");

    @LogMessage(level = WARN)
    @Message(
            id = 107,
            value = "A listener to changes of tube '%s' failed at %s; the change stands, and the listener stays."
                    + " Fix the listener")
    void listenerFailed(String tube, TubeEvent event, @Cause Throwable cause);

    @LogMessage(level = ERROR)
    @Message(
            id = 115,
            value = "A step after a committed %2$s in tube '%1$s' failed; the change stands, and all other steps are"
                    + " done. Report this fault of TaskTube")
    void effectFailed(String tube, TubeEvent event, @Cause Throwable cause);

    @LogMessage(level = WARN)
    @Message(
            id = 116,
            value = "The listener to changes of tube '%s' cannot load a class, so its application is most likely"
                    + " undeployed; the adapter drops the listener. If the application is deployed, let it call"
                    + " onTaskChange again")
    void listenerDropped(String tube);

    @LogMessage(level = INFO)
    @Message(
            id = 117,
            value = "Tube '%s' is PAUSED: %s paused it at %s (%s). No task of it is taken until it is resumed or"
                    + " drained")
    void paused(String tube, String by, Instant since, String reason);

    @LogMessage(level = INFO)
    @Message(
            id = 118,
            value = "Tube '%s' is DRAINING: %s drained it at %s (%s). Each put into it fails until it is resumed or"
                    + " paused")
    void draining(String tube, String by, Instant since, String reason);

    @LogMessage(level = INFO)
    @Message(id = 119, value = "Tube '%s' is OPEN: %s resumed it at %s. Puts and takes go on")
    void resumed(String tube, String by, Instant since);
}
