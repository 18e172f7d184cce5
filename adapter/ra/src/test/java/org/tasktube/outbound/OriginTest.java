package org.tasktube.outbound;

import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The place where a connection was got, whatever frames the thread has. */
class OriginTest {

    /** As {@link PooledConnectionFactory}: the class that reads its caller. */
    static final class Factory {
        static Origin get() {
            return Origin.callerOf(Factory.class);
        }
    }

    /** A thread without a frame of its own, if the JVM hides the frames of its class. */
    static final class Caller extends Thread {

        static final AtomicReference<Object> SEEN = new AtomicReference<>();

        private final Supplier<?> work;

        public Caller(Supplier<?> work) {
            this.work = work;
        }

        @Override
        public void run() {
            try {
                SEEN.set(work.get());
            } catch (Throwable e) {
                SEEN.set(e);
            }
        }
    }

    @Test
    void a_thread_whose_only_other_frame_is_hidden_gets_a_connection() throws Exception {
        assertThat(inHiddenThread(Factory::get)).isInstanceOf(Origin.class);
    }

    /** Returns the answer of work, or what it throws. */
    static Object inHiddenThread(Supplier<?> work) throws Exception {
        byte[] code;
        try (InputStream in = Caller.class.getResourceAsStream("OriginTest$Caller.class")) {
            code = in.readAllBytes();
        }
        Class<?> hidden = MethodHandles.lookup().defineHiddenClass(code, true).lookupClass();
        Thread thread = (Thread) hidden.getDeclaredConstructor(Supplier.class).newInstance(work);
        thread.start();
        thread.join();
        Field seen = hidden.getDeclaredField("SEEN");
        seen.setAccessible(true);
        return ((AtomicReference<?>) seen.get(null)).get();
    }

    @Test
    void a_thread_of_a_method_reference_names_the_thread() throws Exception {
        AtomicReference<Origin> seen = new AtomicReference<>();
        Thread thread = new Thread(() -> seen.set(Factory.get()));
        thread.start();
        thread.join();
        assertThat(seen.get().place()).contains(" by java.lang.Thread.run");
    }
}
