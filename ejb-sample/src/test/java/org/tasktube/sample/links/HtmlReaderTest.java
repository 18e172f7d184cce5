package org.tasktube.sample.links;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

class HtmlReaderTest {

    private static final Address PAGE = Address.start("http://host/docs/page.html");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<a href='x.html'>x</a>                             | PAGE  | http://host/docs/x.html",
                "<a href='../x.html?q=1&amp;r=2'>x</a>              | PAGE  | http://host/x.html?q=1&r=2",
                "<map><area href='/x'></map>                        | PAGE  | http://host/x",
                "<iframe src='x.html'></iframe>                     | PAGE  | http://host/docs/x.html",
                "<link rel='next' href='x.html'>                    | PAGE  | http://host/docs/x.html",
                "<meta http-equiv='Refresh' content='0; URL=x.html'> | PAGE | http://host/docs/x.html",
                "<img src='x.gif'>                                  | IMAGE | http://host/docs/x.gif",
                "<input type='image' src='x.gif'>                   | IMAGE | http://host/docs/x.gif",
                "<video poster='x.gif'></video>                     | IMAGE | http://host/docs/x.gif",
                "<link rel='shortcut icon' href='x.ico'>            | IMAGE | http://host/docs/x.ico",
                "<link rel='StyleSheet' href='x.css'>               | STYLE | http://host/docs/x.css",
                "<script src='x.js'></script>                       | FILE  | http://host/docs/x.js",
                "<object data='x.pdf'></object>                     | FILE  | http://host/docs/x.pdf",
                "<a href='//other/x'>x</a>                          | PAGE  | http://other/x",
                "<a href='http:// x /'>x</a>                        | NO_ADDRESS | http:// x /"
            })
    void a_link_is_found_with_its_kind(String html, LinkKind kind, String url) {
        assertThat(read(html).links()).containsExactly(new Link(kind, url, ""));
    }

    @Test
    void frames_are_links() {
        assertThat(read("<html><frameset><frame src='a.html'><frame src='b.html'></frameset></html>")
                        .links())
                .extracting(Link::url)
                .containsExactly("http://host/docs/a.html", "http://host/docs/b.html");
    }

    @Test
    void each_candidate_of_a_srcset_is_an_image() {
        assertThat(read("<img srcset='a.png 1x, b,c.png 2x, d.png'>").links())
                .extracting(Link::kind, Link::url)
                .containsExactly(
                        tuple(LinkKind.IMAGE, "http://host/docs/a.png"),
                        tuple(LinkKind.IMAGE, "http://host/docs/b,c.png"),
                        tuple(LinkKind.IMAGE, "http://host/docs/d.png"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<a href='mailto:a@b.example'>x</a>",
                "<a href='JavaScript:go()'>x</a>",
                "<a href='tel:123'>x</a>",
                "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>",
                "<link rel='preconnect' href='https://fonts.example'>",
                "<a>no href</a>",
                "<!-- <a href='x.html'>x</a> -->",
                "<input type='text' src='x.gif'>",
                "<a href='page.html'>this page</a>",
                "<a href=''>this page</a>",
                "<a href='#'>its top</a>",
                "<a href='#TOP'>its top</a>",
                "<a href='page.html#:~:text=word'>a word on it</a>"
            })
    void what_needs_no_check_is_no_link(String html) {
        assertThat(read(html).links()).isEmpty();
    }

    @Test
    void each_different_link_is_found_once() {
        assertThat(read("<a href='x.html'>1</a> <a href='./x.html'>2</a> <a href='x.html#a'>3</a>")
                        .links())
                .containsExactly(
                        new Link(LinkKind.PAGE, "http://host/docs/x.html", ""),
                        new Link(LinkKind.PAGE, "http://host/docs/x.html", "a"));
    }

    @Test
    void a_base_is_where_references_start() {
        assertThat(read("<head><base href='/other/'></head><a href='x.html'>x</a>")
                        .links())
                .extracting(Link::url)
                .containsExactly("http://host/other/x.html");
    }

    @Test
    void ids_and_names_are_anchors() {
        assertThat(read("<h1 id='one'>1</h1><a name='two'>2</a><p name='three'>3</p>")
                        .anchors())
                .containsExactly("one", "two");
    }

    @Test
    void a_link_to_an_anchor_of_the_page_itself_is_found_only_if_it_is_dangling() {
        assertThat(read("<a href='#here'>x</a><a href='#gone'>y</a><p id='here'></p>")
                        .links())
                .containsExactly(new Link(LinkKind.PAGE, PAGE.toString(), "gone"));
    }

    @Test
    void a_fragment_is_decoded() {
        assertThat(read("<a href='#%3Cinit%3E()'>x</a><a href='x.html#&lt;init&gt;(int[])'>y</a>"
                                + "<p id='&lt;init&gt;()'></p>")
                        .links())
                .containsExactly(new Link(LinkKind.PAGE, "http://host/docs/x.html", "<init>(int[])"));
    }

    @Test
    void a_link_that_is_too_long_is_no_address() {
        assertThat(read("<a href='" + "x".repeat(Address.MAX_LENGTH) + "'>x</a>")
                        .links())
                .singleElement()
                .extracting(Link::kind)
                .isEqualTo(LinkKind.NO_ADDRESS);
    }

    @Test
    void the_title_is_read_in_the_charset_of_the_page() {
        byte[] body = "<meta charset='iso-8859-1'><title>Bücher</title>".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(HtmlReader.read(PAGE, body, null).title()).isEqualTo("Bücher");
    }

    @Test
    void what_the_server_says_of_the_charset_goes_first() {
        byte[] body = "<meta charset='iso-8859-1'><title>Bücher</title>".getBytes(StandardCharsets.UTF_8);
        assertThat(HtmlReader.read(PAGE, body, "UTF-8").title()).isEqualTo("Bücher");
    }

    private static Contents read(String html) {
        return HtmlReader.read(PAGE, html.getBytes(StandardCharsets.UTF_8), "UTF-8");
    }
}
