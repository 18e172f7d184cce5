package org.tasktube.sample.check;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tasktube.sample.links.LinkKind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RequestTest {

    @ParameterizedTest
    @CsvSource({"PAGE, GET", "STYLE, GET", "IMAGE, HEAD", "FILE, HEAD"})
    void what_has_links_is_asked_for_whole(LinkKind kind, Request.Method method) {
        assertThat(Request.of(kind, "http://host/").method()).isEqualTo(method);
    }

    @Test
    void a_request_goes_through_a_task_as_text() {
        Request request = new Request(Request.Method.HEAD, "http://host/a%20b");
        assertThat(request.text()).isEqualTo("HEAD http://host/a%20b");
        assertThat(Request.parse(request.text())).isEqualTo(request);
    }

    @Test
    void another_text_is_refused() {
        assertThatThrownBy(() -> Request.parse("http://host/")).hasMessageContaining("is no request");
        assertThatThrownBy(() -> Request.parse("POST http://host/")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "text/html, true",
        "TEXT/HTML ; charset=utf-8, true",
        "application/xhtml+xml, true",
        "text/htmlx, false",
        "text/plain, false",
        "'', false"
    })
    void a_content_type_says_whether_it_is_html(String header, boolean html) {
        assertThat(new ContentType(header).isHtml()).isEqualTo(html);
    }

    @Test
    void a_content_type_says_the_charset_if_it_is_known() {
        assertThat(new ContentType("text/html; Charset=\"utf-8\"").charset()).contains(StandardCharsets.UTF_8);
        assertThat(new ContentType("text/html; charset=utf-ä").charset()).isEmpty();
        assertThat(new ContentType("text/html").charset()).isEmpty();
    }
}
