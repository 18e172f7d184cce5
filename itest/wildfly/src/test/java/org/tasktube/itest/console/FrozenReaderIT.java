package org.tasktube.itest.console;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.tasktube.itest.app.Eventually;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

/** Clients that stop reading. A test takes about a minute, because the server is patient with them. */
@Tag("console-large")
@ExtendWith(ConsoleServer.Extension.class)
class FrozenReaderIT {

    /** With so many tubes, an event soon fills the buffers between the server and a client. */
    private static final int TUBES = 400;

    private static final int CLIENTS = 5;

    /** The answers at once with a heap of 512 MiB, and the tasks of 1 MB in each. */
    private static final int TURNS = 8;

    private static final int OF_ANSWER = 8;
    private static final int SMALL_BUFFER = 4096;
    private static final int PATIENCE_MILLIS = 10_000;

    /** The patience of the server with a client, and the time in which the buffers fill. */
    private static final Duration CLOSED = Duration.ofSeconds(50);

    /** The time of the server for an answer, and some more. */
    private static final Duration LOST = Duration.ofSeconds(80);

    private final ConsoleServer console;

    FrozenReaderIT(ConsoleServer console) {
        this.console = console;
    }

    private Socket connect(int buffer) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(buffer);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.connect(new InetSocketAddress(
                console.page("").getHost(), console.page("").getPort()));
        return socket;
    }

    private Socket open(int buffer) throws IOException {
        URI events = console.page("api/v1/events");
        Socket socket = connect(buffer);
        socket.getOutputStream()
                .write(("GET " + events.getPath() + " HTTP/1.1\r\nHost: " + events.getAuthority()
                                + "\r\nAccept: text/event-stream\r\nAuthorization: "
                                + Rest.authorization(console.viewer()) + "\r\n\r\n")
                        .getBytes(ISO_8859_1));
        return socket;
    }

    @Test
    void clients_that_do_not_read_keep_the_events_from_no_other() throws Exception {
        for (int i = 0; i < TUBES; i++) {
            console.freshTube("frozen-" + i, "fifottl");
        }
        // The age of this task changes each second, and so does the event
        console.rest(console.operator()).putText("frozen-0", "x");
        List<Socket> frozen = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                frozen.add(open(SMALL_BUFFER));
            }
            try (Socket reader = open(1 << 20)) {
                byte[] some = new byte[1 << 16];
                for (long end = System.nanoTime() + CLOSED.toNanos(); System.nanoTime() - end < 0; ) {
                    assertThat(reader.getInputStream().read(some)).isPositive();
                }
            }
            try (Socket later = open(1 << 20)) {
                assertThat(later.getInputStream().read()).isEqualTo('H');
            }
        } finally {
            for (Socket socket : frozen) {
                socket.close();
            }
            for (int i = 0; i < TUBES; i++) {
                console.drop("frozen-" + i);
            }
        }
    }

    @Test
    void a_client_that_does_not_read_its_tasks_loses_them_and_keeps_no_turn() throws Exception {
        String tube = "frozen";
        console.freshTube(tube, "fifottl");
        Rest operator = console.rest(console.operator());
        for (int i = 0; i < TURNS * OF_ANSWER; i++) {
            operator.putText(tube, "x".repeat(1_000_000));
        }
        List<Socket> frozen = new ArrayList<>();
        try {
            for (int i = 0; i < TURNS; i++) {
                Socket client = connect(SMALL_BUFFER);
                frozen.add(client);
                client.getOutputStream()
                        .write(RawRequest.take(
                                console.page("api/v1/tubes/" + tube + "/take"), console.operator(), Optional.empty()));
            }
            Eventually.holds(() -> taken(tube).equals("64"), () -> "takes: " + taken(tube));
            assertThat(operator.send("POST", "tubes/" + tube + "/take", "{}").statusCode())
                    .as("a take without a turn")
                    .isEqualTo(429);
            Eventually.holds(LOST, () -> taken(tube).equals("0"), () -> "tasks of frozen clients: " + taken(tube));
            assertThat(operator.send("POST", "tubes/" + tube + "/take", "{}").statusCode())
                    .isEqualTo(200);
        } finally {
            for (Socket socket : frozen) {
                socket.close();
            }
            console.drop(tube);
        }
    }

    private String taken(String tube) {
        return console.read("SELECT count(*) FROM tasktube_task t JOIN tasktube_tube u ON u.id = t.tube_id"
                + " WHERE t.state = 't' AND u.name = '" + tube + "'");
    }
}
