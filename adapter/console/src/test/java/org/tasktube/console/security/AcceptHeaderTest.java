package org.tasktube.console.security;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** HeadersIT has the headers as a whole, because the media types in them are read by the server. */
class AcceptHeaderTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "'' | ''",
                ", ,, | ''",
                "a/b | a/b",
                "a/b,, c/d ; q=1 ,\t | a/b~c/d ; q=1",
                "a/b;x=\",\";y, c/d | a/b;x=\",\";y~c/d",
                "a/b;x=\"\\\",\", c/d | a/b;x=\"\\\",\"~c/d",
                "a/b;x=\"\\\\\", c/d | a/b;x=\"\\\\\"~c/d",
                "a/b;x=\\, c/d | a/b;x=\\~c/d",
                "a/b;x=\", c/d | a/b;x=\", c/d"
            })
    void a_comma_divides_a_list_unless_it_is_quoted(String list, String elements) {
        assertThat(String.join("~", AcceptHeader.elements(list.replace("'", ""))))
                .isEqualTo(elements.replace("'", ""));
    }
}
