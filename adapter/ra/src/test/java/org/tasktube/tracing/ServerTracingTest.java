package org.tasktube.tracing;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.tasktube.PutOptions;
import org.tasktube.testing.LogLines;

import static org.assertj.core.api.Assertions.assertThat;

/** The adapter traces if it sees the API of OpenTelemetry and that of CDI. Otherwise it needs neither. */
class ServerTracingTest {

    private static boolean isOpenTelemetry(String name) {
        return name.startsWith("io.opentelemetry.");
    }

    /** A server's class loader of the adapter, without some classes. It loads the tracing anew. */
    private static final class Server extends ClassLoader {

        private final Predicate<String> missing;
        private final List<String> asked = new CopyOnWriteArrayList<>();

        Server(Predicate<String> missing) {
            super(ServerTracingTest.class.getClassLoader());
            this.missing = missing;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (isOpenTelemetry(name)) {
                asked.add(name);
            }
            if (missing.test(name)) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith(ServerTracing.class.getPackageName() + ".")) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            return known != null ? known : defined(name);
        }

        private Class<?> defined(String name) throws ClassNotFoundException {
            try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        @Override
        public URL getResource(String path) {
            String name = path.replace('/', '.').replaceFirst("\\.class$", "");
            return missing.test(name) ? null : super.getResource(path);
        }

        Object find() throws Exception {
            return loadClass(ServerTracing.class.getName()).getMethod("find").invoke(null);
        }
    }

    @Test
    void without_opentelemetry_none_of_its_classes_is_searched_for() throws Exception {
        Server server = new Server(ServerTracingTest::isOpenTelemetry);
        Object tracing = server.find();
        assertThat(tracing.getClass().getName()).isEqualTo(NoTracing.class.getName());
        assertThat(server.asked).isEmpty();
    }

    @Test
    void without_cdi_no_class_of_opentelemetry_is_searched_for() throws Exception {
        Server server = new Server(name -> name.startsWith("jakarta.enterprise."));
        assertThat(server.find().getClass().getName()).isEqualTo(NoTracing.class.getName());
        assertThat(server.asked).isEmpty();
    }

    @Test
    void with_both_the_adapter_traces_and_logs_it() {
        try (LogLines log = new LogLines("org.tasktube.tracing")) {
            assertThat(ServerTracing.find()).isInstanceOf(OpenTelemetryTracing.class);
            assertThat(log.first("TASKTUBE0140")).contains("traces the puts and deliveries");
        }
    }

    @Test
    void an_application_without_beans_is_not_traced() {
        // No CDI runs in this test, as in an application without beans
        Tracing tracing = ServerTracing.find();
        PutOptions options = PutOptions.defaults();
        assertThat(tracing.put("orders", options, sent -> {
                    assertThat(sent).isSameAs(options);
                    return Optional.empty();
                }))
                .isEmpty();
    }
}
