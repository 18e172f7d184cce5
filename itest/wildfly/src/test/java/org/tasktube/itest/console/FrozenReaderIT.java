package org.tasktube.itest.console;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

/** Clients of the events that stop reading. The test takes about a minute, because the server is patient with them. */
@Tag("console-large")
@ExtendWith(ConsoleServer.Extension.class)
class FrozenReaderIT {

    /** With so many tubes, an event soon fills the buffers between the server and a client. */
    private static final int TUBES = 400;

    private static final int CLIENTS = 5;
    private static final int SMALL_BUFFER = 4096;
    private static final int PATIENCE_MILLIS = 10_000;

    /** The patience of the server with a client, and the time in which the buffers fill. */
    private static final Duration CLOSED = Duration.ofSeconds(50);

    private final ConsoleServer console;

    FrozenReaderIT(ConsoleServer console) {
        this.console = console;
    }

    private Socket open(int buffer) throws IOException {
        URI events = console.page("api/v1/events");
        Socket socket = new Socket();
        socket.setReceiveBufferSize(buffer);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.connect(new InetSocketAddress(events.getHost(), events.getPort()));
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
}
