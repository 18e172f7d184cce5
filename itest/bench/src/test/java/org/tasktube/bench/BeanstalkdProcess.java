package org.tasktube.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.tasktube.bench.app.Beanstalkd;
import org.tasktube.itest.kit.ServerHome;

/** beanstalkd of this machine, as its package has it: its log is written to the disk once per second. */
record BeanstalkdProcess(Process process) implements AutoCloseable {

    private static final String SYNC_MILLIS = "1000";
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long PAUSE_MILLIS = 20;

    /** Starts it and returns when it answers. */
    static BeanstalkdProcess start(Path directory) throws IOException, InterruptedException {
        Path log = ServerHome.cleared(directory.resolve("beanstalkd"));
        Files.createDirectories(log);
        Process process = new ProcessBuilder(
                        "beanstalkd",
                        "-l",
                        "127.0.0.1",
                        "-p",
                        Integer.toString(Beanstalkd.PORT),
                        "-b",
                        log.toString(),
                        "-f",
                        SYNC_MILLIS)
                .inheritIO()
                .start();
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!answers()) {
            if (System.nanoTime() - end > 0) {
                process.destroy();
                throw new IllegalStateException("beanstalkd did not answer within " + PATIENCE);
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        return new BeanstalkdProcess(process);
    }

    private static boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Beanstalkd.PORT)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        process.destroy();
    }
}
