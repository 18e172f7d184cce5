package org.tasktube.bench.app;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A peer: beanstalkd, a process of its own. It has no transactions. Eight threads reserve and delete. */
@ApplicationScoped
public class Beanstalkd {

    /** Where the benchmark starts it. */
    public static final int PORT = 21_300;

    private static final int THREADS = 8;
    private static final String END = "\r\n";
    private static final int PATIENCE_SECONDS = 1;

    @Resource
    private ManagedThreadFactory threadFactory;

    @Inject
    private Meter meter;

    private final ThreadLocal<Client> producer = ThreadLocal.withInitial(Client::new);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ending;

    void put(byte[] data) {
        producer.get().put(data);
    }

    void start() {
        ending = false;
        for (int i = 0; i < THREADS; i++) {
            Thread thread = threadFactory.newThread(this::work);
            threads.add(thread);
            thread.start();
        }
    }

    void stop() throws InterruptedException {
        ending = true;
        for (Thread thread : threads) {
            thread.join();
        }
        threads.clear();
    }

    private void work() {
        try (Client client = new Client()) {
            while (!ending) {
                String id = client.reserve();
                if (!id.isEmpty()) {
                    meter.began();
                    client.delete(id);
                }
            }
        }
    }

    /** One connection, with the few commands that this needs. */
    private static final class Client implements Closeable {

        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;

        Client() {
            try {
                socket = new Socket(InetAddress.getLoopbackAddress(), PORT);
                socket.setTcpNoDelay(true);
                in = new BufferedInputStream(socket.getInputStream());
                out = socket.getOutputStream();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void put(byte[] data) {
            byte[] command = ascii("put 0 0 120 " + data.length + END);
            byte[] whole = new byte[command.length + data.length + END.length()];
            System.arraycopy(command, 0, whole, 0, command.length);
            System.arraycopy(data, 0, whole, command.length, data.length);
            System.arraycopy(ascii(END), 0, whole, command.length + data.length, END.length());
            expect(call(whole), "INSERTED ");
        }

        /** Returns the id of a task; empty if there was none for a second. */
        String reserve() {
            String answer = call(ascii("reserve-with-timeout " + PATIENCE_SECONDS + END));
            if (answer.equals("TIMED_OUT")) {
                return "";
            }
            expect(answer, "RESERVED ");
            String[] words = answer.split(" ", -1);
            try {
                in.readNBytes(Integer.parseInt(words[2]) + END.length());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return words[1];
        }

        void delete(String id) {
            expect(call(ascii("delete " + id + END)), "DELETED");
        }

        private String call(byte[] command) {
            try {
                out.write(command);
                StringBuilder line = new StringBuilder();
                for (int next = in.read(); next != '\r'; next = in.read()) {
                    if (next < 0) {
                        throw new IOException("beanstalkd has closed the connection");
                    }
                    line.append((char) next);
                }
                in.skipNBytes(1);
                return line.toString();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static byte[] ascii(String text) {
            return text.getBytes(StandardCharsets.US_ASCII);
        }

        private static void expect(String answer, String begin) {
            if (!answer.startsWith(begin)) {
                throw new IllegalStateException("beanstalkd answered '" + answer + "'");
            }
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
