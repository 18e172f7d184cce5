package org.tasktube.console.audit;

import org.jboss.logging.Logger;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;

import static org.jboss.logging.Logger.Level.DEBUG;
import static org.jboss.logging.Logger.Level.INFO;
import static org.jboss.logging.Logger.Level.WARN;

/** Messages 500 to 509. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, AuditLog.CATEGORY);

    @LogMessage(level = INFO)
    @Message(
            id = 500,
            value =
                    "user=%s right=%s act=%s tube=%s task=%s number=%s reason=%s answer=%d from=%s; the console has answered")
    void act(
            String user,
            String right,
            String act,
            String tube,
            String task,
            String number,
            String reason,
            int answer,
            String from);

    @LogMessage(level = WARN)
    @Message(
            id = 502,
            value =
                    "The row of the audit for user=%s act=%s tube=%s task=%s answer=%d is missing: %s; the line of the act"
                            + " is all that is kept of it")
    void rowMissing(String user, String act, String tube, String task, int answer, String reason);

    @LogMessage(level = INFO)
    @Message(id = 501, value = "user=%s request=%s %s answer=%d; the console has refused it and changed nothing")
    void refused(String user, String method, String path, int answer);

    @LogMessage(level = WARN)
    @Message(
            id = 503,
            value = "More than %2$d requests of user=%1$s were refused within a minute; the audit has no rows of the"
                    + " further ones in that minute, only lines")
    void rowsLeftOut(String user, int most);

    @LogMessage(level = INFO)
    @Message(id = 505, value = "user=%s from=%s; the login to the console failed: the name or the password is wrong")
    void loginFailed(String user, String address);

    @LogMessage(level = DEBUG)
    @Message(
            id = 504,
            value =
                    "The row of the audit for user=%s act=%s waits for a connection; the answer to the request does not")
    void rowWaits(String user, String act);
}
