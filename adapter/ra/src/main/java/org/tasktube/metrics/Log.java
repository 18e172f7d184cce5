package org.tasktube.metrics;

import java.time.Duration;
import org.jboss.logging.Logger;
import org.jboss.logging.annotations.FormatWith;
import org.jboss.logging.annotations.LogMessage;
import org.jboss.logging.annotations.Message;
import org.jboss.logging.annotations.MessageLogger;
import org.tasktube.text.AsConfigured;

import static org.jboss.logging.Logger.Level.DEBUG;
import static org.jboss.logging.Logger.Level.INFO;
import static org.jboss.logging.Logger.Level.WARN;

/** The messages 400 to 499. */
@MessageLogger(projectCode = "TASKTUBE", length = 4)
interface Log {

    Log LOG = Logger.getMessageLogger(java.lang.invoke.MethodHandles.lookup(), Log.class, "org.tasktube.metrics");

    @LogMessage(level = WARN)
    @Message(
            id = 400,
            value = "Graphite at %s does not accept TaskTube's statistics; TaskTube works, and tries again each %s: %s")
    void away(String address, Duration interval, String why);

    @LogMessage(level = INFO)
    @Message(id = 401, value = "Graphite at %s accepts TaskTube's statistics again")
    void back(String address);

    @LogMessage(level = WARN)
    @Message(
            id = 402,
            value =
                    "The MBean server does not accept tube %s: %s; TaskTube works, and tries again when a tube is created"
                            + " or dropped")
    void notInJmx(String tube, String why);

    @LogMessage(level = DEBUG)
    @Message(id = 403, value = "The MBean server does not remove tube %s: %s; the tube is shown until the server stops")
    void staysInJmx(String tube, String why);

    @LogMessage(level = DEBUG)
    @Message(
            id = 404,
            value =
                    "The ages of the oldest READY tasks could not be read: %s; they are missing, and are read again after"
                            + " a second")
    void agesNotRead(String why);

    @LogMessage(level = WARN)
    @Message(
            id = 405,
            value = "A listener of an application to the MBean server has not returned for %s from the notification of"
                    + " tube %s; TaskTube works, and shows and removes tubes in JMX again when the listener returns")
    void listenerIsSlow(@FormatWith(AsConfigured.class) Duration limit, String tube);

    @LogMessage(level = WARN)
    @Message(
            id = 406,
            value = "A listener of an application to the MBean server failed at the notification of tube %s: %s;"
                    + " TaskTube works, and shows and removes tubes in JMX all the same")
    void listenerFailed(String tube, String why);
}
