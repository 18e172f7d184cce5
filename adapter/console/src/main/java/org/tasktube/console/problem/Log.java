package org.tasktube.console.problem;

import org.jboss.logging.Logger;
import org.jboss.logging.annotations.Cause;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;

import static org.jboss.logging.Logger.Level.ERROR;

/** Messages 510 to 519. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.console");

    @LogMessage(level = ERROR)
    @Message(
            id = 510,
            value = "The console could not answer %s %s; the caller has got a problem without a reason, and may try"
                    + " again")
    void failed(String method, String path, @Cause Throwable cause);

    @LogMessage(level = ERROR)
    @Message(
            id = 511,
            value =
                    "The console could not write its answer to %s %s to the end; the tasks in it go back to their tube, and"
                            + " the caller may try again")
    void cut(String method, String path, @Cause Throwable cause);
}
