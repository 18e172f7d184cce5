package org.tasktube.itest.console;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.tasktube.itest.kit.ConsoleUser;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/** Requests that no client of HTTP sends. */
final class RawRequest {

    private static final int PATIENCE_MILLIS = 20_000;
    private static final String LONG = "x".repeat(20_000);

    private RawRequest() {}

    /** Returns the heads, each without its last headers; {@code api} is the root of the addresses. */
    static List<String> heads(String api) {
        return List.of(
                "GET " + api + "tubes/\u0000 HTTP/1.1",
                "GET " + api + "tubes/%zz HTTP/1.1",
                "GET " + api + "tubes/% HTTP/1.1",
                "GET " + api + "tubes/a b HTTP/1.1",
                "GET " + api + "tubes/\u00ff HTTP/1.1",
                "GET " + api + "../../../../etc/passwd HTTP/1.1",
                "GET " + api + "tubes\\..\\..\\web.xml HTTP/1.1",
                "GET " + api + "tubes?" + LONG + " HTTP/1.1",
                "GET " + api + "tasks?filter=%ff%fe HTTP/1.1",
                "GET " + api + "tasks?filter=%zz HTTP/1.1",
                "GET http://evil.example" + api + "tubes HTTP/1.1",
                "GET " + api + "tubes HTTP/9.9",
                "G\u0001T " + api + "tubes HTTP/1.1",
                "get " + api + "tubes HTTP/1.1",
                "TRACE " + api + "tubes HTTP/1.1",
                "CONNECT evil.example:443 HTTP/1.1",
                "POST " + api + "tubes HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: -1",
                "POST " + api
                        + "tubes HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 9999999999999999999",
                "POST " + api
                        + "tubes HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz",
                "POST " + api + "tubes HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: x",
                "GET " + api + "tubes HTTP/1.1\r\nX: " + LONG);
    }

    /** Returns a take of 8 tasks, for a client that decides itself how it reads the answer. */
    static byte[] take(URI address, ConsoleUser user, Optional<String> session) {
        String body = "{\"count\":8,\"keep\":\"1h\"}";
        return ("POST " + address.getPath() + " HTTP/1.1\r\nHost: " + address.getAuthority()
                        + "\r\nAuthorization: " + Rest.authorization(user)
                        + session.map(id -> "\r\nTaskTube-Session: " + id).orElse("")
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n"
                        + body)
                .getBytes(ISO_8859_1);
    }

    /** Sends a head with what each request needs, and returns all that is answered. */
    static String send(URI server, String head, String authorization) throws IOException {
        String rest = head.contains("\r\n\r\n")
                ? ""
                : "\r\nHost: " + server.getAuthority() + "\r\nConnection: close\r\nAuthorization: " + authorization
                        + "\r\n\r\n";
        try (Socket socket = new Socket(server.getHost(), server.getPort())) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write((head + rest).getBytes(ISO_8859_1));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }
}
