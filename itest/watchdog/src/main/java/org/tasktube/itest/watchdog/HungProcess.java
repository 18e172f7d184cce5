package org.tasktube.itest.watchdog;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** This Java process, when a test in it hangs. */
final class HungProcess {

    private static final long PATIENCE_SECONDS = 30;

    private HungProcess() {}

    /**
     * Writes all threads to the console and to a file in {@code target}, and ends the process. Its shutdown hooks
     * run, so that servers and databases that tests started end too; they have 30 seconds.
     */
    static void end(String test, int status) {
        String dump = "\nHangs: " + test + ". The run of the tests ends here. All threads:\n\n" + threads();
        System.err.println(dump);
        System.err.flush();
        write(dump);
        Thread last = new Thread(() -> halt(status), "end of a hung process");
        last.setDaemon(true);
        last.start();
        System.exit(status);
    }

    /** Not ThreadInfo.toString(), which has eight frames of a stack only. */
    private static String threads() {
        StringBuilder text = new StringBuilder();
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            describe(thread, text);
        }
        return text.toString();
    }

    private static void describe(ThreadInfo thread, StringBuilder text) {
        text.append('"').append(thread.getThreadName()).append("\" ").append(thread.getThreadState());
        LockInfo lock = thread.getLockInfo();
        if (lock != null) {
            text.append(" on ").append(lock);
        }
        if (thread.getLockOwnerName() != null) {
            text.append(" of \"").append(thread.getLockOwnerName()).append('"');
        }
        text.append('\n');
        StackTraceElement[] stack = thread.getStackTrace();
        for (int depth = 0; depth < stack.length; depth++) {
            text.append("    at ").append(stack[depth]).append('\n');
            for (MonitorInfo monitor : thread.getLockedMonitors()) {
                if (monitor.getLockedStackDepth() == depth) {
                    text.append("    - locked ").append(monitor).append('\n');
                }
            }
        }
        text.append('\n');
    }

    private static void write(String dump) {
        try {
            Path target = Files.createDirectories(Path.of("target"));
            Files.writeString(target.resolve("hung-threads.txt"), dump);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void halt(int status) {
        try {
            TimeUnit.SECONDS.sleep(PATIENCE_SECONDS);
        } catch (InterruptedException e) {
            // It is not interrupted; if it is, the end is now
        }
        Runtime.getRuntime().halt(status);
    }
}
