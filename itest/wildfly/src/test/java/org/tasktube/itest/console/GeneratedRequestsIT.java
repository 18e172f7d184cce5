package org.tasktube.itest.console;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.itest.watchdog.FullRun;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * 4,000 requests, 20,000 in a full run, that are made from openapi.json by chance: none has an answer from 500 on, each answer is one that
 * the document declares, no answer shows what is inside, and no refused request has changed anything. A failure names
 * the seed; {@code -Dconsole.seed=…} repeats it. {@code -Dconsole.requests=…} makes another number of them.
 */
@Tag("console")
@ExtendWith(ConsoleServer.Extension.class)
@Tag("full")
class GeneratedRequestsIT {

    private static final long SEED = FullRun.seed("console.seed");
    private static final int REQUESTS = Integer.getInteger("console.requests", FullRun.size(4_000, 20_000));
    private static final int ANY = REQUESTS / 5;
    private static final int REFUSED = REQUESTS - ANY;
    private static final int BATCH = 500;
    private static final int THREADS = 4;

    /** The rows of these tables, without those of servers, which change by themselves. */
    private static final String STATE = List.of("tube", "task", "slot", "session", "dirty", "parked").stream()
            .map(table -> "(SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM tasktube_" + table
                    + " t)")
            .collect(joining(" || "));

    private final ConsoleServer console;
    private final OpenApi openApi;

    /** One for all readings of the state, because PostgreSQL starts a process for each. */
    private Connection database;

    GeneratedRequestsIT(ConsoleServer console) {
        this.console = console;
        this.openApi = new OpenApi(console.rest(console.viewer()).get("openapi.json"));
    }

    @BeforeEach
    void fill() {
        clear();
        for (String tube : Generator.TUBES) {
            console.freshTube(tube, tube.equals("sub") ? "utubettl" : "fifottl");
            console.fill(tube, 10);
        }
    }

    @AfterEach
    void clear() {
        console.rest(console.viewer()).getAny("tubes").asJsonArray().stream()
                .map(tube -> tube.asJsonObject().getString("name"))
                .filter(name -> !name.startsWith("work"))
                .forEach(console::drop);
    }

    @Test
    void requests_that_must_be_refused_change_nothing() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            for (int done = 0; done < REFUSED; done += BATCH) {
                String before = state();
                long seed = SEED + done;
                List<Future<?>> parts = IntStream.range(0, THREADS)
                        .<Future<?>>mapToObj(thread -> threads.submit(() -> refused(seed * THREADS + thread)))
                        .toList();
                for (Future<?> part : parts) {
                    part.get();
                }
                assertThat(state())
                        .as("tables after the requests of seed %d", seed)
                        .isEqualTo(before);
            }
        } catch (ExecutionException e) {
            throw new AssertionError(
                    "-Dconsole.seed=" + SEED + ": " + e.getCause().getMessage(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private void refused(long seed) {
        Generator generator = new Generator(console, openApi, new Random(seed));
        for (int i = 0; i < BATCH / THREADS; i++) {
            Generated request = generator.refused();
            HttpResponse<String> answer = Rest.send(request.request());
            check(request, answer);
            if (!request.isRead() && answer.statusCode() < 400) {
                throw new AssertionError("was not refused: " + request + ": " + answer.statusCode());
            }
        }
    }

    @Test
    void any_request_that_is_refused_has_changed_nothing() {
        Random random = new Random(SEED);
        Generator generator = null;
        int succeeded = 0;
        String before = "";
        for (int i = 0; i < ANY; i++) {
            if (i % BATCH == 0) {
                fill();
                generator = new Generator(console, openApi, random);
                before = state();
            }
            Generated request = generator.any();
            HttpResponse<String> answer = Rest.send(request.request());
            check(request, answer);
            if (answer.statusCode() >= 400 || request.isRead()) {
                assertThat(state())
                        .as("-Dconsole.seed=%d: tables after %s: %d", SEED, request, answer.statusCode())
                        .isEqualTo(before);
            } else {
                succeeded++;
                if (request.operation().matches("DELETE /tubes.*|.*/truncate")) {
                    fill();
                }
                before = state();
            }
        }
        assertThat(succeeded).as("requests that changed something").isGreaterThan(ANY / 20);
    }

    private String state() {
        try {
            if (database == null) {
                database = console.connect();
            }
            try (Statement statement = database.createStatement();
                    ResultSet row = statement.executeQuery("SELECT " + STATE)) {
                row.next();
                return row.getString(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void disconnect() throws SQLException {
        if (database != null) {
            database.close();
        }
    }

    /** Cookies of a host are sent to all its ports, so that another application may have set one. */
    @ParameterizedTest
    @ValueSource(strings = {"TASKTUBE=a\u0001b", "other=\u00e4", "a=b; TASKTUBE=\u007f", "a=b; $Version=x"})
    void a_cookie_that_the_server_cannot_read_is_no_fault_in_the_log(String cookie) throws IOException {
        int before = faults();
        String head = "GET " + console.page("api/v1/tubes").getPath() + " HTTP/1.1\r\nCookie: " + cookie;
        assertThat(RawRequest.send(console.page(""), head, Rest.authorization(console.admin())))
                .startsWith("HTTP/1.1 400");
        assertThat(faults()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TASKTUBE=../..; =", "_ga=GS1.1$o1$g0; a=\"b\""})
    void a_cookie_of_another_application_is_no_reason_to_refuse(String cookie) throws IOException {
        String head = "GET " + console.page("api/v1/tubes").getPath() + " HTTP/1.1\r\nCookie: " + cookie;
        assertThat(RawRequest.send(console.page(""), head, Rest.authorization(console.admin())))
                .startsWith("HTTP/1.1 200");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Basic !!!", "Basic a", "basic", "Basic abc"})
    void a_password_that_the_server_cannot_read_is_no_fault_in_the_log(String authorization) throws IOException {
        int before = faults();
        String head = "GET " + console.page("health/live").getPath() + " HTTP/1.1";
        assertThat(RawRequest.send(console.page(""), head, authorization)).startsWith("HTTP/1.1 400");
        assertThat(faults()).isEqualTo(before);
    }

    private int faults() {
        return (int) console.server().log().lines().stream()
                .filter(line -> line.contains("UT005023") || line.contains("UT015005") || line.contains(" DEBUG "))
                .count();
    }

    private void check(Generated request, HttpResponse<String> answer) {
        String fault = openApi.faultIn(request, answer);
        if (!fault.isEmpty()) {
            throw new AssertionError("-Dconsole.seed=" + SEED + ": " + request + ": " + answer.statusCode() + " "
                    + answer.headers().map() + " "
                    + answer.body().substring(0, Math.min(500, answer.body().length())) + ": " + fault);
        }
    }

    /** What the client of Java does not send goes through a socket. */
    @Test
    void requests_that_break_http_have_no_trace_in_their_answers() throws IOException {
        String before = state();
        int faults = faults();
        for (String head : RawRequest.heads(console.page("api/v1/").getPath())) {
            String answer = RawRequest.send(console.page(""), head, Rest.authorization(console.admin()));
            assertThat(answer).as(head).doesNotContain("HTTP/1.1 5", "\tat ", "Exception", "org.", "io.undertow");
        }
        assertThat(faults()).isEqualTo(faults);
        assertThat(state()).isEqualTo(before);
    }
}
