package org.tasktube.itest.console;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.tasktube.itest.kit.ConsoleUser;

/** A tube of each test's own, and changes by REST in a session of the client's. */
abstract class RestSession {

    static final String SESSION = "TaskTube-Session";

    final ConsoleServer console;
    final Rest rest;
    private final String tube;

    RestSession(ConsoleServer console, String tube) {
        this.console = console;
        this.rest = console.rest(console.operator());
        this.tube = tube;
    }

    @BeforeEach
    void make() {
        console.freshTube(tube, "fifottl");
    }

    @AfterEach
    void drop() {
        console.drop(tube);
    }

    final HttpRequest request(ConsoleUser user, String path, String body, Optional<String> session) {
        HttpRequest.Builder request = HttpRequest.newBuilder(console.page("api/v1/" + path))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", Rest.authorization(user))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
        session.ifPresent(id -> request.header(SESSION, id));
        return request.build();
    }

    final HttpResponse<String> post(ConsoleUser user, String path, String body, Optional<String> session) {
        return Rest.send(request(user, path, body, session));
    }

    final HttpRequest takeRequest(String body, Optional<String> session) {
        return request(console.operator(), "tubes/" + tube + "/take", body, session);
    }

    final HttpResponse<String> take(String body, Optional<String> session) {
        return Rest.send(takeRequest(body, session));
    }

    /** Returns a letter per task in the order of their ids: r for READY, t for TAKEN. */
    final String states() {
        return console.read("SELECT string_agg(t.state, '' ORDER BY t.id) FROM tasktube_task t JOIN tasktube_tube u"
                + " ON u.id = t.tube_id WHERE u.name = '" + tube + "'");
    }
}
