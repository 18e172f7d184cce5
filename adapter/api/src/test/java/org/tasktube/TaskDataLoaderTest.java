package org.tasktube;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Mapping an object to JSON keeps no application that is undeployed. */
class TaskDataLoaderTest {

    private static final int APPLICATIONS = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** A class of a library that applications share. */
    public static class Envelope {
        public Object payload;
    }

    @Test
    void an_application_goes_after_it_mapped_objects_of_its_own_class() throws Exception {
        assertThat(stayAfter(application -> TaskData.json(application.payload())))
                .isZero();
    }

    @Test
    void an_application_goes_after_it_mapped_its_objects_inside_a_class_of_a_shared_library() throws Exception {
        assertThat(stayAfter(application -> {
                    Envelope envelope = new Envelope();
                    envelope.payload = application.payload();
                    TaskData.json(envelope);
                }))
                .isZero();
    }

    @Test
    void an_application_goes_after_it_mapped_a_list_of_its_objects() throws Exception {
        assertThat(stayAfter(application -> TaskData.json(List.of(application.payload()))))
                .isZero();
    }

    @Test
    void an_application_goes_after_its_objects_were_mapped_by_another() throws Exception {
        try (Application other = new Application()) {
            assertThat(stayAfter(application -> other.run(() -> {
                        Envelope envelope = new Envelope();
                        envelope.payload = application.payload();
                        TaskData.json(envelope);
                    })))
                    .isZero();
        }
    }

    /** As in a program without a server, where one loader has the program's classes and its libraries. */
    @Test
    void an_application_goes_after_a_library_mapped_its_objects_with_the_library_as_context() throws Exception {
        assertThat(stayAfter(application -> {
                    Thread.currentThread().setContextClassLoader(Envelope.class.getClassLoader());
                    Envelope envelope = new Envelope();
                    envelope.payload = application.payload();
                    TaskData.json(envelope);
                }))
                .isZero();
    }

    private interface Work {
        void in(Application application) throws Exception;
    }

    /** How many of the applications stay in memory after they did this and are gone. */
    private static long stayAfter(Work work) throws Exception {
        List<WeakReference<ClassLoader>> applications = new ArrayList<>();
        for (int i = 0; i < APPLICATIONS; i++) {
            applications.add(deployAndUndeploy(work));
        }
        long end = System.nanoTime() + PATIENCE.toNanos();
        long alive;
        do {
            System.gc();
            Thread.sleep(50);
            alive = applications.stream().filter(each -> each.get() != null).count();
        } while (alive > 0 && System.nanoTime() < end);
        return alive;
    }

    private static WeakReference<ClassLoader> deployAndUndeploy(Work work) throws Exception {
        try (Application application = new Application()) {
            application.run(() -> work.in(application));
            return new WeakReference<>(application);
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    /** Loads Payload itself, and all else as this test does. */
    private static final class Application extends URLClassLoader {

        Application() {
            super(new URL[0], TaskDataLoaderTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Payload.class.getName())) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        Object payload() throws ReflectiveOperationException {
            return loadClass(Payload.class.getName()).getConstructor().newInstance();
        }

        /** As a server runs what belongs to an application: with its loader as the thread's. */
        void run(Step step) throws Exception {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(this);
            try {
                step.run();
            } finally {
                thread.setContextClassLoader(before);
            }
        }
    }
}
