package org.tasktube.test;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.tasktube.TubeConnection;
import org.tasktube.TubeDefinition;

import static org.assertj.core.api.Assertions.assertThat;

/** A kit in a static field. */
class SharedKitTest {

    @RegisterExtension
    static final TubeKit KIT = new TubeKit();

    @RepeatedTest(3)
    void tasks_stay_from_test_to_test_and_puts_are_those_of_one(RepetitionInfo repetition) {
        try (TubeConnection connection = KIT.tubes().getConnection()) {
            connection.createTubeIfNotExists(TubeDefinition.fifo("orders")).put("a");
            assertThat(KIT.puts("orders")).hasSize(1);
            assertThat(connection.tube("orders").statistics().ready()).isEqualTo(repetition.getCurrentRepetition());
        }
    }
}
