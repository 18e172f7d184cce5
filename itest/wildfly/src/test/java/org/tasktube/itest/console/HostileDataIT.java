package org.tasktube.itest.console;

import com.microsoft.playwright.Download;
import jakarta.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** Data that attacks the page is shown as it is, and does nothing. */
@InBrowser
@Tag("full")
class HostileDataIT {

    private static final String SCRIPT = "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'>";
    private static final int MIB = 1024 * 1024;
    private static final int DEPTH = 10_000;

    private final ConsoleServer console;
    private final Visitor visitor;

    HostileDataIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @BeforeAll
    static void make(ConsoleServer console) {
        console.freshTube("hostile", "utubettl");
    }

    @AfterAll
    static void drop(ConsoleServer console) {
        console.drop("hostile");
    }

    private void open(String id) {
        visitor.login(console.operator(), "tasks/hostile/" + id);
        visitor.page().waitForSelector("main .panel h2");
    }

    private String put(byte[] data, String type) {
        return console.rest(console.operator())
                .put(
                        "hostile",
                        Json.createObjectBuilder()
                                .add("base64", Base64.getEncoder().encodeToString(data))
                                .add("contentType", type)
                                .build()
                                .toString());
    }

    private String shown() {
        visitor.page().waitForSelector("pre.code");
        return visitor.find("pre.code").first().textContent();
    }

    private byte[] downloaded() throws IOException {
        Download download =
                visitor.page().waitForDownload(() -> visitor.find("a[download]").click());
        Path file = download.path();
        return Files.readAllBytes(file);
    }

    private void assertHarmless() {
        assertThat(visitor.page().evaluate("() => window.hacked")).isNull();
        assertThat(visitor.find("main script, main img").count()).isZero();
    }

    @Test
    void html_is_text_in_data_key_sub_queue_headers_and_reasons() {
        Rest rest = console.rest(console.operator());
        String id = rest.put(
                "hostile",
                Json.createObjectBuilder()
                        .add("data", SCRIPT)
                        .add("key", SCRIPT)
                        .add("utube", SCRIPT)
                        .add("headers", Json.createObjectBuilder().add("h", SCRIPT))
                        .build()
                        .toString());
        rest.post(
                "tubes/hostile/pause",
                Json.createObjectBuilder().add("reason", SCRIPT).build().toString());
        open(id);
        assertThat(shown()).isEqualTo(SCRIPT);
        visitor.awaitText("dd", SCRIPT);
        assertHarmless();

        for (String page : new String[] {"tasks?filter=tube:hostile", "tubes/hostile", ""}) {
            visitor.open(page);
            visitor.awaitText("main", SCRIPT.substring(0, 30));
            assertHarmless();
        }
        rest.post("tubes/hostile/resume", "{}");
    }

    @Test
    void html_in_a_failure_is_text() {
        Rest rest = console.rest(console.operator());
        String id = rest.putText("work", "fail " + SCRIPT);
        visitor.login(console.operator(), "tasks/work/" + id);
        visitor.awaitText("p.failure", SCRIPT);
        assertHarmless();
        visitor.open("failures");
        visitor.awaitText("tbody", "<script>");
        assertHarmless();
        rest.post("tasks/work/" + id + "/delete", "{\"reason\":\"test\"}");
    }

    @Test
    void html_in_the_address_is_text() {
        visitor.login(console.operator(), "tasks?filter=%3Cscript%3Ewindow.hacked%3D1%3C%2Fscript%3E");
        visitor.awaitText(".filter-error", "<script>");
        assertHarmless();
        visitor.open("tasks/%3Cimg%20src%3Dx%20onerror%3D'window.hacked%3D1'%3E/1");
        visitor.awaitText("main h1", "<img");
        assertHarmless();
    }

    @Test
    void a_mebibyte_is_cut_in_the_page_and_whole_in_the_download() throws IOException {
        byte[] data = ("begin " + "é".repeat(MIB / 2 - 10)).getBytes(UTF_8);
        open(put(data, "text/plain"));

        assertThat(shown()).startsWith("begin éé");
        visitor.awaitText(".note", "This is the beginning of 1");
        visitor.button("Show all").click();
        visitor.awaitThat("() => document.querySelector('pre.code').textContent.length === 262144");
        assertThat(downloaded()).isEqualTo(data);
    }

    @Test
    void broken_utf8_is_shown_as_bytes() throws IOException {
        byte[] data = {(byte) 0xff, (byte) 0xfe, 'a', (byte) 0xc3, 0x28, 0, (byte) 0xed, (byte) 0xa0, (byte) 0x80};
        open(put(data, "text/plain"));

        assertThat(shown()).contains("ff fe 61 c3 28 00 ed a0");
        assertThat(downloaded()).isEqualTo(data);
    }

    @Test
    void json_10000_deep_is_shown_with_each_bracket() throws IOException {
        String data = "[".repeat(DEPTH) + "7" + "]".repeat(DEPTH);
        open(put(data.getBytes(UTF_8), "application/json"));

        visitor.page().waitForSelector("pre.code");
        visitor.button("Show all").click();
        visitor.awaitThat(
                "() => document.querySelector('pre.code').textContent.replace(/\\s/g, '').length === " + data.length());
        assertThat(shown().replaceAll("\\s", "").equals(data)).isTrue();
        assertThat(downloaded()).isEqualTo(data.getBytes(UTF_8));
    }

    @Test
    void numbers_keep_all_digits() {
        String data = "{\"id\":9007199254740993,\"long\":-9223372036854775808,\"large\":1e400,"
                + "\"exact\":0.1000000000000000055511151231257827,\"zero\":1.0}";
        open(put(data.getBytes(UTF_8), "application/json"));

        assertThat(shown().replaceAll("\\s", "")).isEqualTo(data);
    }

    @Test
    void direction_marks_and_control_characters_do_not_hide_what_the_data_says() {
        open(put("user\u202Etxt.exe\u0007\u001b[31m".getBytes(UTF_8), "text/plain"));

        assertThat(shown()).contains("user").doesNotContain("\u202E", "\u001b");
    }
}
