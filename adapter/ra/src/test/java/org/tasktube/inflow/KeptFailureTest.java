package org.tasktube.inflow;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.Fingerprint;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A failed delivery is written in a database of any encoding, with each character that the encoding has. */
@Tag("full")
@Timeout(60)
class KeptFailureTest {

    private static final String PRICE = "the price is 5 \u20ac";

    /** Fails a task by a bean in a database of LATIN1. Returns the message of its kept failure. */
    private static String keptInLatin1(String message) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(TestDatabase.createLatin1())) {
            adapter.activate(
                    new Bean(task -> {
                        throw new IllegalStateException(message);
                    }),
                    spec -> spec.setMaxAttempts("2"));
            return kept(adapter, adapter.tube().put("x"));
        }
    }

    private static String kept(RunningAdapter adapter, Task task) {
        adapter.awaitBuried(task);
        return failure(adapter, task).message();
    }

    private static TaskFailure failure(RunningAdapter adapter, Task task) {
        return adapter.tube().meta(task.id()).orElseThrow().lastFailure().orElseThrow();
    }

    @Test
    void a_character_that_the_encoding_lacks_is_kept_as_a_question_mark() throws Exception {
        assertThat(keptInLatin1(PRICE)).isEqualTo("the price is 5 ?");
    }

    @Test
    void the_kind_of_a_failure_is_kept_in_ascii_under_its_own_id() throws Exception {
        IllegalStateException thrown = new IllegalStateException(PRICE);
        try (RunningAdapter adapter = new RunningAdapter(TestDatabase.createLatin1())) {
            adapter.activate(
                    new Bean(task -> {
                        throw thrown;
                    }),
                    spec -> spec.setMaxAttempts("1"));
            Task task = adapter.tube().put("x");
            adapter.awaitBuried(task);
            Fingerprint kind = failure(adapter, task).fingerprint();
            assertThat(kind.message()).isEqualTo("the price is # ?");
            assertThat(kind.id()).isEqualTo(TaskFailure.of(thrown).fingerprint().id());
        }
    }

    /** The frames of this package are the server's, so the bean's is left out here. */
    @Test
    void a_transaction_that_the_bean_marked_for_rollback_has_no_frame_but_the_bean_s() throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(TestDatabase.H2)) {
            adapter.activate(new Bean(task -> Jta.MANAGER.setRollbackOnly()), spec -> spec.setMaxAttempts("1"));
            Task task = adapter.tube().put("x");
            adapter.awaitBuried(task);
            assertThat(failure(adapter, task).fingerprint().frame()).isEmpty();
            assertThat(failure(adapter, task).trace()).doesNotContain("java.util");
        }
    }

    @Test
    void a_character_that_the_encoding_has_is_kept() throws Exception {
        assertThat(keptInLatin1("Gr\u00f6\u00dfe")).isEqualTo("Gr\u00f6\u00dfe");
    }

    @Test
    void a_long_plain_message_is_kept_in_part() throws Exception {
        assertThat(keptInLatin1("x".repeat(5_000))).startsWith("xxx").hasSize(TaskFailure.MAX_MESSAGE);
    }

    /** In H2 a write that meets a lock gives up after two seconds. */
    @Test
    void a_text_whose_first_write_met_a_lock_is_kept_in_full() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch locked = new CountDownLatch(1);
        try (RunningAdapter adapter = new RunningAdapter(TestDatabase.H2);
                Connection other = adapter.sql().database().getConnection();
                Statement on = other.createStatement()) {
            adapter.activate(
                    new Bean(task -> {
                        begun.countDown();
                        locked.await();
                        throw new IllegalStateException(PRICE);
                    }),
                    spec -> spec.setMaxAttempts("1"));
            Task task = adapter.tube().put("x");
            begun.await();
            other.setAutoCommit(false);
            on.execute("SELECT id FROM tasktube_task WHERE id = " + task.id() + " FOR UPDATE");
            locked.countDown();
            Eventually.holds(() -> blockedSince(other) != 0, "the write meets the lock");
            long first = blockedSince(other);
            Eventually.holds(() -> blockedSince(other) > first, "the write is repeated");
            other.rollback();
            other.setAutoCommit(true);
            assertThat(kept(adapter, task)).isEqualTo(PRICE);
        }
    }

    /** Returns when the statement that waits for a lock began, in milliseconds; 0 if there is none. */
    private static long blockedSince(Connection on) {
        try {
            return Sql.number(
                    on,
                    "SELECT CAST(EXTRACT(EPOCH FROM MAX(executing_statement_start)) * 1000 AS BIGINT)"
                            + " FROM information_schema.sessions WHERE blocker_id IS NOT NULL");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
