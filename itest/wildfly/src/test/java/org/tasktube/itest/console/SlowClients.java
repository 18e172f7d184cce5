package org.tasktube.itest.console;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.util.Optional;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/** Clients that send a byte a second, and never get to an end. They connect again when the server has enough of one. */
final class SlowClients implements Runnable, AutoCloseable {

    private static final int WITHOUT_WAIT = 120_000;

    private final URI page;
    private final Client[] clients;

    /** Some are slow with their head, some with a form, and some with the rest of a large body. */
    SlowClients(URI page, int number) {
        this.page = page;
        this.clients = new Client[number];
        for (int i = 0; i < number; i++) {
            clients[i] = new Client(begin(i % 3));
        }
    }

    /** A connection, and what it begins with. */
    private static final class Client {
        private final String begin;
        private Optional<Socket> socket = Optional.empty();

        Client(String begin) {
            this.begin = begin;
        }

        void send(URI server) {
            try {
                if (socket.isEmpty()) {
                    socket = Optional.of(new Socket(server.getHost(), server.getPort()));
                    socket.get().getOutputStream().write(begin.getBytes(ISO_8859_1));
                }
                socket.get().getOutputStream().write('x');
            } catch (IOException e) {
                // The server has closed it
                close();
            }
        }

        void close() {
            try {
                if (socket.isPresent()) {
                    socket.get().close();
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            } finally {
                socket = Optional.empty();
            }
        }
    }

    private String begin(int kind) {
        return switch (kind) {
            case 0 -> "GET " + page.getPath() + " HTTP/1.1\r\nX-Slow: ";
            case 1 -> post("login", "application/x-www-form-urlencoded", 1_000) + "user=";
            default -> post("api/v1/tubes", "application/json", 1_000_000) + " ".repeat(WITHOUT_WAIT);
        };
    }

    private String post(String path, String type, int length) {
        return "POST " + page.getPath() + path + " HTTP/1.1\r\nHost: " + page.getAuthority() + "\r\nContent-Type: "
                + type + "\r\nContent-Length: " + length + "\r\n\r\n";
    }

    /** Has each client send its next byte. */
    @Override
    public void run() {
        for (Client client : clients) {
            client.send(page);
        }
    }

    @Override
    public void close() {
        for (Client client : clients) {
            client.close();
        }
    }
}
