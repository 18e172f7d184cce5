package org.tasktube.console.security;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A form is read as a browser writes it, and no form is a fault. */
class LoginFormTest {

    @ParameterizedTest
    @CsvSource({
        "user=anna&password=secret, anna, secret",
        "password=secret&user=anna, anna, secret",
        "user=a%26b%3D&password=p%C3%A4ss+word, a&b=, päss word",
        "user=anna&user=eve&password=, anna, ''",
        "user=%zz&password=%, '', ''",
        "superuser=eve&password=x, '', x",
        "'', '', ''",
        "&&&, '', ''"
    })
    void the_first_field_of_a_name_counts(String body, String user, String password) {
        assertThat(LoginForm.of(body)).isEqualTo(new LoginForm(user, password));
    }
}
