package org.tasktube.store;

import org.jboss.logging.Logger;
import org.jboss.logging.annotations.Cause;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;

import static org.jboss.logging.Logger.Level.ERROR;

/** Messages 120 to 129. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.store");

    @LogMessage(level = ERROR)
    @Message(
            id = 120,
            value = "An action that waited for the end of a transaction failed; the transaction's end stands, and the"
                    + " other actions run")
    void effectFailed(@Cause Throwable cause);
}
