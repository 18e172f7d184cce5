package org.tasktube.tracing;

import java.util.List;

/** Decides at the adapter's start if it traces. Without OpenTelemetry's API none of its classes is loaded. */
public final class ServerTracing {

    /** Makes no span and writes no header. */
    public static final Tracing NONE = new NoTracing();

    /** The classes that the adapter must see: a class of each module that the tracing uses. */
    private static final List<String> NEEDED = List.of(
            "io.opentelemetry.context.Context",
            "io.opentelemetry.api.OpenTelemetry",
            "jakarta.enterprise.inject.spi.CDI");

    private ServerTracing() {}

    /** Returns the tracing by the API of OpenTelemetry that the adapter sees; {@link #NONE} if it sees none. */
    public static Tracing find() {
        return find(ServerTracing.class.getClassLoader());
    }

    static Tracing find(ClassLoader adapter) {
        if (!NEEDED.stream().allMatch(name -> sees(adapter, name))) {
            return NONE;
        }
        Log.LOG.traces();
        return OpenTelemetryTracing.ofApplications();
    }

    /** Searches for the file of a class, which loads no class. */
    private static boolean sees(ClassLoader adapter, String name) {
        return adapter.getResource(name.replace('.', '/') + ".class") != null;
    }
}
