package org.tasktube.tracing;

import io.opentelemetry.api.OpenTelemetry;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.CDI;
import java.util.Optional;
import java.util.function.Function;
import org.tasktube.TaskFailure;

/** Finds the OpenTelemetry of an application: the CDI bean that the server gives to each application. */
final class ApplicationBeans implements Function<ClassLoader, Optional<OpenTelemetry>> {

    @Override
    public Optional<OpenTelemetry> apply(ClassLoader application) {
        return seesOurs(application) ? within(application) : Optional.empty();
    }

    /** An application without OpenTelemetry needs no search for a bean. One with an API of its own is another one. */
    private static boolean seesOurs(ClassLoader application) {
        try {
            return Class.forName(OpenTelemetry.class.getName(), false, application) == OpenTelemetry.class;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    private static Optional<OpenTelemetry> within(ClassLoader application) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(application);
        try {
            Instance<OpenTelemetry> bean = CDI.current().select(OpenTelemetry.class);
            return bean.isResolvable() ? Optional.of(bean.get()) : Optional.empty();
        } catch (RuntimeException e) {
            // CDI throws so if the application has no beans, or none yet
            Log.LOG.thrown(TaskFailure.describe(e));
            return Optional.empty();
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
