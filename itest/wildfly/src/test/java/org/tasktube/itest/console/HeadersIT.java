package org.tasktube.itest.console;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Headers that RESTEasy reads before a resource does, each in a read and in a change. */
@Tag("console")
@ExtendWith(ConsoleServer.Extension.class)
@Tag("full")
class HeadersIT {

    private static final String TUBE = "headers";

    private final ConsoleServer console;
    private long faults;

    HeadersIT(ConsoleServer console) {
        this.console = console;
    }

    @BeforeEach
    void make() {
        console.freshTube(TUBE, "fifottl");
        faults = faults();
    }

    @AfterEach
    void drop() {
        console.drop(TUBE);
        assertThat(faults()).as("faults and traces in the log").isEqualTo(faults);
    }

    private long faults() {
        return console.server().log().lines().stream()
                .filter(line -> line.contains("RESTEASY002130") || line.contains("TASKTUBE0510"))
                .count();
    }

    private int read(String header, String value) {
        return send(request("tubes/" + TUBE).GET().setHeader(header, value));
    }

    private int change(String header, String value) {
        return send(request("tubes/" + TUBE + "/resume")
                .POST(BodyPublishers.ofString("{}"))
                .header("Content-Type", "application/json")
                .setHeader(header, value));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(console.page("api/v1/" + path))
                .header("Authorization", Rest.authorization(console.operator()));
    }

    private static int send(HttpRequest.Builder request) {
        HttpResponse<String> answer = Rest.send(request.build());
        assertThat(answer.headers().firstValue("Content-Type").orElse("application/json"))
                .startsWith(answer.statusCode() < 400 ? "application/json" : "application/problem+json");
        return answer.statusCode();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*/*",
                "*",
                "application/json",
                "APPLICATION/JSON;Q=0.5",
                "application/*;q=0.001, text/html",
                "application/json, ,text/plain",
                ", application/json,",
                "application/json;a=\",\";b",
                "application/json;a=\"\\\",\";q=0.3",
                "application/json;charset=x;level=1",
                "application/json;q=\"0.5\"",
                "text/html, image/gif, *; q=.2, */*; q=.2"
            })
    void types_with_that_of_the_answer_are_accepted(String accept) {
        assertThat(read("Accept", accept)).isEqualTo(200);
        assertThat(change("Accept", accept)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage",
                "application/json, garbage",
                "/",
                "a/b/c",
                "application/json;q",
                "application/json;q=",
                "application/json;q=x",
                "application/json;Q",
                "application/json;Q=x",
                "application/json;q=1.1",
                "application/json;q=-1",
                "application/json;q=NaN",
                "application/json, a/b;q;x=1",
                "*/*;q=0.3;q"
            })
    void other_texts_are_refused_as_unreadable(String accept) {
        assertThat(read("Accept", accept)).isEqualTo(400);
        assertThat(change("Accept", accept)).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/html", "text/html;q=0.5, a/b", "application/jsonx"})
    void types_without_that_of_the_answer_are_not_acceptable(String accept) {
        assertThat(read("Accept", accept)).isEqualTo(406);
        assertThat(change("Accept", accept)).isEqualTo(406);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json;q", "application/json;Q=x", "application/json;a=b;q=2"})
    void a_type_of_a_body_that_cannot_be_read_is_refused(String type) {
        assertThat(change("Content-Type", type)).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json;charset=UTF-8", "Application/JSON ; a=\",\";b", "application/json;"})
    void a_type_of_a_body_may_have_parameters(String type) {
        assertThat(change("Content-Type", type)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"garbage", "application/json;q", ""})
    void a_type_of_no_body_has_no_meaning(String type) {
        assertThat(read("Content-Type", type)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "de", "de;q", "de;q=x", ",,;;q", "*", "\"", "de-DE-1996-x-y-z_", "en;q=7, , ;"})
    void a_language_has_no_meaning(String language) {
        assertThat(read("Accept-Language", language)).isEqualTo(200);
        assertThat(change("Accept-Language", language)).isEqualTo(200);
        assertThat(change("Content-Language", language)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"js/main.js", "css/console.css", "icons/icons.svg"})
    void a_browser_asks_whether_its_copy_of_a_file_is_the_present_one(String path) {
        HttpResponse<String> first =
                Rest.send(HttpRequest.newBuilder(console.page(path)).GET().build());
        assertThat(first.headers().firstValue("Cache-Control")).contains("no-cache");
        String tag = first.headers().firstValue("ETag").orElseThrow();
        assertThat(file(path, "If-None-Match", tag)).isEqualTo(304);
        assertThat(file(path, "If-None-Match", "\"another\"")).isEqualTo(200);
        // All builds have this time
        assertThat(file(path, "If-Modified-Since", "Sat, 21 Nov 2026 00:00:00 GMT"))
                .isEqualTo(200);
    }

    private int file(String path, String header, String value) {
        return Rest.send(HttpRequest.newBuilder(console.page(path))
                        .GET()
                        .header(header, value)
                        .build())
                .statusCode();
    }
}
