package org.tasktube.testing;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jboss.logging.LoggerProvider;

/**
 * A log of JBoss Logging whose lines of TaskTube fail by an Error on a chosen thread, as in a virtual machine without
 * memory. The log of java.util.logging, which the other tests use, swallows such Errors; the log of WildFly does not. A
 * process has this log if it is the service of the interface {@link LoggerProvider} on its class path.
 */
public final class FailingLog implements LoggerProvider {

    private static final Object LOCK = new Object();
    private static String failsOn;
    private static int failures;

    /** Does something, and fails the lines of threads whose names begin so, until two of them have failed. */
    public static void failTwice(String thread, Runnable then) throws InterruptedException {
        synchronized (LOCK) {
            failsOn = thread;
            failures = 0;
        }
        then.run();
        synchronized (LOCK) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (failures < 2) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    throw new AssertionError(failures + " lines of " + thread + " have failed within 30 s");
                }
                LOCK.wait(left);
            }
            failsOn = null;
        }
    }

    private static void failIfToldTo() {
        synchronized (LOCK) {
            if (failsOn != null && Thread.currentThread().getName().startsWith(failsOn)) {
                failures++;
                LOCK.notifyAll();
                throw new OutOfMemoryError("no memory for a line of the log");
            }
        }
    }

    @Override
    public Logger getLogger(String name) {
        return new Category(name);
    }

    private static final class Category extends Logger {

        private static final long serialVersionUID = 1;

        Category(String name) {
            super(name);
        }

        @Override
        public boolean isEnabled(Level level) {
            return level.compareTo(Level.INFO) <= 0;
        }

        @Override
        protected void doLog(Level level, String loggerClass, Object message, Object[] parameters, Throwable thrown) {
            line(message);
        }

        @Override
        protected void doLogf(Level level, String loggerClass, String format, Object[] parameters, Throwable thrown) {
            line(parameters == null ? format : String.format(format, parameters));
        }

        private void line(Object text) {
            if (getName().startsWith("org.tasktube")) {
                failIfToldTo();
                System.out.println(text);
            }
        }
    }

    // Contexts, of which TaskTube uses none

    @Override
    public void clearMdc() {}

    @Override
    public Object putMdc(String key, Object value) {
        return null;
    }

    @Override
    public Object getMdc(String key) {
        return null;
    }

    @Override
    public void removeMdc(String key) {}

    @Override
    public Map<String, Object> getMdcMap() {
        return Map.of();
    }

    @Override
    public void clearNdc() {}

    @Override
    public String getNdc() {
        return "";
    }

    @Override
    public int getNdcDepth() {
        return 0;
    }

    @Override
    public String popNdc() {
        return "";
    }

    @Override
    public String peekNdc() {
        return "";
    }

    @Override
    public void pushNdc(String message) {}

    @Override
    public void setNdcMaxDepth(int maxDepth) {}
}
