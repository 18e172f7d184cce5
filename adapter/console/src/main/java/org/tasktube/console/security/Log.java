package org.tasktube.console.security;

import java.nio.file.Path;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;

import static org.jboss.logging.Logger.Level.WARN;

/** Messages 530 to 539. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.console");

    @LogMessage(level = WARN)
    @Message(
            id = 530,
            value = "others may read %s, which has hashes of the passwords of the console's users: %s."
                    + " Let only the user of the server read it")
    void unprotected(Path directory, String reason);
}
