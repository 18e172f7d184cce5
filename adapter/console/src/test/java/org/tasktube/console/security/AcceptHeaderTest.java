package org.tasktube.console.security;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class AcceptHeaderTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*/*",
                "application/json, text/plain;q=0.5",
                "text/html,*/*;q=0",
                "text/html, image/gif, *; q=.2, */*; q=.2",
                "a/b,,c/d;charset=x"
            })
    void a_list_of_types_is_readable(String accept) {
        assertThat(AcceptHeader.isReadable(accept)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage",
                "text/html, garbage",
                "text/html;q=x",
                "text/html;q=1.1",
                "*/*;a=b; q=",
                "/",
                "a/b/c",
                "text/html, "
            })
    void other_text_is_not(String accept) {
        assertThat(AcceptHeader.isReadable(accept)).isFalse();
    }
}
