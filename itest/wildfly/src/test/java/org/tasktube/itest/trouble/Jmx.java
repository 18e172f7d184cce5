package org.tasktube.itest.trouble;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.tasktube.itest.kit.WildFly;

/** JMX over a server's management port, by the server's own client as jconsole.sh has it. */
final class Jmx implements AutoCloseable {

    private final URLClassLoader client;
    private final JMXConnector connector;
    private final MBeanServerConnection connection;

    @SuppressWarnings("BanJNDI") // The address is the test's own
    Jmx(WildFly server) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            client = new URLClassLoader(
                    new URL[] {
                        server.home()
                                .resolve("bin/client/jboss-client.jar")
                                .toUri()
                                .toURL()
                    },
                    ClassLoader.getPlatformClassLoader());
            thread.setContextClassLoader(client);
            connector = JMXConnectorFactory.connect(
                    new JMXServiceURL("service:jmx:remote+http://127.0.0.1:" + server.managementPort()),
                    Map.of(JMXConnectorFactory.PROTOCOL_PROVIDER_CLASS_LOADER, client));
            connection = connector.getMBeanServerConnection();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** The tubes that are shown. */
    Set<String> tubes() {
        try {
            return connection.queryNames(new ObjectName("org.tasktube:type=Tube,*"), null).stream()
                    .map(name -> ObjectName.unquote(name.getKeyProperty("name")))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException | JMException e) {
            throw new IllegalStateException(e);
        }
    }

    Object read(String tube, String attribute) {
        try {
            ObjectName name = new ObjectName(
                    "org.tasktube:type=Tube,datasource=\"java:jboss/datasources/ExampleDS\",name=\"" + tube + "\"");
            return connection.getAttribute(name, attribute);
        } catch (IOException | JMException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            connector.close();
            client.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
