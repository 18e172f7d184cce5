package org.tasktube.sample.links;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AddressTest {

    private static final Address BASE = Address.start("http://a/b/c/d;p?q");

    /** The examples of RFC 3986, sections 5.4.1 and 5.4.2, that are http and have no fragment. */
    @ParameterizedTest
    @CsvSource({
        "http://g/h, http://g/h",
        "g, http://a/b/c/g",
        "./g, http://a/b/c/g",
        "g/, http://a/b/c/g/",
        "/g, http://a/g",
        "//g, http://g/",
        "?y, http://a/b/c/d;p?y",
        "g?y, http://a/b/c/g?y",
        ";x, http://a/b/c/;x",
        "g;x, http://a/b/c/g;x",
        "g;x?y, http://a/b/c/g;x?y",
        "'', http://a/b/c/d;p?q",
        "., http://a/b/c/",
        "./, http://a/b/c/",
        ".., http://a/b/",
        "../, http://a/b/",
        "../g, http://a/b/g",
        "../.., http://a/",
        "../../, http://a/",
        "../../g, http://a/g",
        "../../../g, http://a/g",
        "../../../../g, http://a/g",
        "/./g, http://a/g",
        "/../g, http://a/g",
        "g., http://a/b/c/g.",
        ".g, http://a/b/c/.g",
        "g.., http://a/b/c/g..",
        "..g, http://a/b/c/..g",
        "./../g, http://a/b/g",
        "./g/., http://a/b/c/g/",
        "g/./h, http://a/b/c/g/h",
        "g/../h, http://a/b/c/h",
        "g;x=1/./y, http://a/b/c/g;x=1/y",
        "g;x=1/../y, http://a/b/c/y",
        "g?y/./x, http://a/b/c/g?y/./x",
        "g?y/../x, http://a/b/c/g?y/../x"
    })
    void a_reference_is_resolved_as_the_rfc_says(String reference, String expected) {
        assertThat(BASE.resolve(reference)).map(Address::toString).contains(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP://Host.Example/Path, http://host.example/Path",
        "http://host, http://host/",
        "http://host:80/x, http://host/x",
        "https://host:443/x, https://host/x",
        "https://host:80/x, https://host:80/x",
        "http://host:/x, http://host/x",
        "http://[::1]:8080/x, http://[::1]:8080/x",
        "http://bücher.example/ü, http://xn--bcher-kva.example/%C3%BC",
        "http://host/a b, http://host/a%20b",
        "http://host/a%20b, http://host/a%20b",
        "http://host/100%, http://host/100%25",
        "http://host/a[1].html, http://host/a%5B1%5D.html",
        "http://host/a|b{c}, http://host/a%7Cb%7Bc%7D",
        "http://host\\path, http://host/path",
        "'  http://host/x  ', http://host/x"
    })
    void one_address_has_one_spelling(String written, String expected) {
        assertThat(Address.start(written)).hasToString(expected);
    }

    @Test
    void line_ends_inside_a_reference_are_ignored() {
        assertThat(BASE.resolve("x\n/\ty")).map(Address::toString).contains("http://a/b/c/x/y");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mailto:a@b",
                "javascript:alert(1)",
                "http:///x",
                "http://a b/",
                "http://host:x/",
                "http://?",
                "ftp://h/"
            })
    void what_cannot_be_asked_for_is_no_address(String reference) {
        assertThat(BASE.resolve(reference)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "index.html", "/index.html", "//host/x", "ftp://host/", "http:x"})
    void a_start_is_an_absolute_address(String text) {
        assertThatThrownBy(() -> Address.start(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "' is no address to start at");
    }

    @Test
    void a_start_is_not_too_long() {
        assertThatThrownBy(() -> Address.start("http://host/" + "x".repeat(Address.MAX_LENGTH)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void scheme_host_and_port_are_the_site() {
        assertThat(Address.start("http://127.0.0.11:8080/docs/index.html").site())
                .isEqualTo("http://127.0.0.11:8080");
    }
}
