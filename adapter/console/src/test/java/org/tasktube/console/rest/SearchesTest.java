package org.tasktube.console.rest;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.tasktube.console.problem.ProblemException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SearchesTest {

    private final Searches searches = new Searches();

    private String within(String user, Supplier<String> search) {
        return searches.of(user, search);
    }

    @Test
    void a_third_search_of_a_user_at_once_is_refused_and_that_of_another_is_not() {
        String answer = within(
                "anna",
                () -> within("anna", () -> {
                    assertThatThrownBy(() -> within("anna", () -> "third"))
                            .isInstanceOf(ProblemException.class)
                            .hasMessageContaining("2 searches");
                    return within("ben", () -> "first");
                }));
        assertThat(answer).isEqualTo("first");
        assertThat(within("anna", () -> within("anna", () -> "again"))).isEqualTo("again");
    }

    @Test
    void a_search_that_fails_gives_its_place_back() {
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> within("anna", () -> {
                        throw new IllegalStateException("x");
                    }))
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(within("anna", () -> "done")).isEqualTo("done");
    }
}
