package org.tasktube.metrics;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.tasktube.TaskFailure;

/**
 * The tubes in JMX, an MBean each, which is there as long as this server knows the tube. If the MBean server refuses
 * them, the tubes work without. Only {@link #close()} waits for the applications that observe the MBean server, and at
 * most some seconds.
 */
public final class JmxTubes implements AutoCloseable {

    /** The domain of the names. */
    public static final String DOMAIN = "org.tasktube";

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final Supplier<MBeanServer> server;
    private final String datasource;
    private final NumbersSource source;
    private final ListenedCalls calls;

    /** The tubes that are shown. Only the thread of the calls uses it. */
    private final Map<String, ObjectName> shown = new HashMap<>();

    private volatile Set<String> wanted = Set.of();
    private boolean toldRefusal;
    private boolean toldError;
    private boolean closed;

    /**
     * Creates the tubes in JMX, none at first.
     *
     * @param datasource the JNDI name of the adapter's datasource, a part of each name: a server can have an adapter
     *     per database, with tubes of the same names
     */
    public JmxTubes(Supplier<MBeanServer> server, String datasource, NumbersSource source) {
        this(server, datasource, source, LIMIT);
    }

    JmxTubes(Supplier<MBeanServer> server, String datasource, NumbersSource source, Duration limit) {
        this.server = server;
        this.datasource = datasource;
        this.source = source;
        this.calls = new ListenedCalls(limit);
    }

    /** Shows these tubes, and no others, on another thread. */
    public synchronized void show(Set<String> tubes) {
        if (!closed) {
            wanted = Set.copyOf(tubes);
            calls.execute(this::adjust);
        }
    }

    /** Follows the latest call only. An earlier one that has waited behind a blocked listener must not add tubes. */
    private void adjust() {
        List.copyOf(shown.keySet()).stream()
                .filter(tube -> !wanted.contains(tube))
                .forEach(this::remove);
        wanted.stream()
                .filter(tube -> !shown.containsKey(tube) && wanted.contains(tube))
                .forEach(this::add);
    }

    private void add(String tube) {
        try {
            ObjectName name = name(tube);
            MBeanServer mbeans = server.get();
            call(tube, () -> mbeans.registerMBean(new TubeInJmx(tube, source), name));
            shown.put(tube, name);
        } catch (JMException | RuntimeException e) {
            if (!toldRefusal) {
                toldRefusal = true;
                Log.LOG.notInJmx(tube, TaskFailure.summary(e));
            }
        }
    }

    /**
     * Calls the MBean server. It stops the exceptions of a listener, but not its Errors. At that time the MBean is
     * there already, or gone.
     */
    private void call(String tube, ListenedCalls.Call call) throws JMException {
        try {
            calls.call(tube, call);
        } catch (Error e) {
            if (!toldError) {
                toldError = true;
                Log.LOG.listenerFailed(tube, TaskFailure.summary(e));
            }
        }
    }

    /** All parts of the name are quoted, because a JNDI name has colons. */
    private ObjectName name(String tube) throws JMException {
        return new ObjectName(
                DOMAIN + ":type=Tube,datasource=" + ObjectName.quote(datasource) + ",name=" + ObjectName.quote(tube));
    }

    private void remove(String tube) {
        try {
            ObjectName name = shown.remove(tube);
            MBeanServer mbeans = server.get();
            call(tube, () -> mbeans.unregisterMBean(name));
        } catch (InstanceNotFoundException e) {
            // Another one has removed it
        } catch (JMException | RuntimeException e) {
            Log.LOG.staysInJmx(tube, TaskFailure.summary(e));
        }
    }

    /**
     * Removes all tubes, and shows none from now on. If a listener blocks, the method returns after some seconds. The
     * tubes are then removed when the listener returns.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            wanted = Set.of();
            calls.execute(this::adjust);
        }
        calls.end();
    }
}
