package org.tasktube.bench.app;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatCode;

/** The benchmark itself runs with all tests only. */
class OwnStatementsTest {

    @Test
    void the_reference_sets_the_parameters_that_the_adapter_s_statements_have() {
        assertThatCode(OwnStatements::new).doesNotThrowAnyException();
    }
}
