package org.tasktube.inflow;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.AdapterState;
import org.tasktube.Task;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A database that is there and refuses claims, as one whose disk is full may. */
@Tag("full")
@Timeout(60)
class ClaimRefusedTest {

    @ParameterizedTest
    @DatabaseSource
    void a_claim_that_the_database_refuses_is_logged_with_the_reason_and_repeated(TestDatabase kind) throws Exception {
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.execute("ALTER TABLE tasktube_task ADD CONSTRAINT no_room CHECK (state <> 't')");
            adapter.activate(new Bean(task -> {}), spec -> spec.setHandOver("false"));
            Task task = adapter.tube().put("a");
            assertThat(log.first("TASKTUBE0215"))
                    .contains(adapter.tube().name())
                    .containsIgnoringCase("no_room");
            assertThat(adapter.node().state()).isEqualTo(AdapterState.RUNNING);
            adapter.execute("ALTER TABLE tasktube_task DROP CONSTRAINT no_room");
            adapter.awaitRemoved(task);
        }
    }
}
