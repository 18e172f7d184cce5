package org.tasktube.ra;

import jakarta.transaction.Synchronization;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.store.Transactions;
import org.tasktube.testing.Jta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What waits for the end of a transaction, in those of WildFly's transaction manager. */
class JtaTransactionsTest {

    @Nested
    class InWildFly extends Rules {
        InWildFly() {
            super(() -> Optional.of(Jta.MANAGER));
        }
    }

    /** A server that gives what the contract of adapters demands, and no more. */
    @Nested
    class InAnotherServer extends Rules {
        InAnotherServer() {
            super(Optional::empty);
        }
    }

    abstract static class Rules {

        private final Transactions transactions;
        private final List<String> done = Collections.synchronizedList(new ArrayList<>());

        Rules(Supplier<Optional<TransactionManager>> server) {
            transactions = new JtaTransactions(Jta.REGISTRY, server);
        }

        @AfterEach
        void leave() throws Exception {
            Transaction left = Jta.MANAGER.suspend();
            assertThat(left)
                    .as("the transaction that the test left on its thread")
                    .isNull();
        }

        @Test
        void outside_a_transaction_actions_run_at_once() {
            transactions.check();
            assertThat(transactions.active()).isFalse();
            transactions.afterCommit(() -> done.add("afterCommit"));
            transactions.atEnd(() -> done.add("atEnd"));
            assertThat(done).containsExactly("afterCommit", "atEnd");
        }

        @Test
        void what_one_action_throws_keeps_no_other_from_running() throws Exception {
            Jta.MANAGER.begin();
            transactions.afterCommit(() -> {
                throw new NoClassDefFoundError("of an undeployed application");
            });
            transactions.afterCommit(() -> done.add("afterCommit"));
            transactions.afterCommit(() -> {
                throw new StackOverflowError();
            });
            transactions.atEnd(() -> {
                throw new IllegalStateException("no reason");
            });
            transactions.atEnd(() -> done.add("atEnd"));
            Jta.MANAGER.commit();
            assertThat(done).containsExactly("afterCommit", "atEnd");
        }

        @Test
        void a_rollback_runs_no_action_that_waits_for_the_commit() throws Exception {
            Jta.MANAGER.begin();
            transactions.afterCommit(() -> done.add("afterCommit"));
            transactions.atEnd(() -> done.add("atEnd"));
            Jta.MANAGER.rollback();
            assertThat(done).containsExactly("atEnd");
        }

        @Test
        void in_a_transaction_marked_for_rollback_new_work_is_refused_and_its_end_is_waited_for() throws Exception {
            Jta.MANAGER.begin();
            transactions.afterCommit(() -> done.add("afterCommit"));
            Jta.MANAGER.setRollbackOnly();
            refuses("marked for rollback");
            transactions.atEnd(() -> done.add("atEnd"));
            assertThat(done).isEmpty();
            Jta.MANAGER.rollback();
            assertThat(done).containsExactly("atEnd");
        }

        @Test
        void in_a_transaction_marked_for_rollback_before_anything_was_done_there_is_no_end_to_wait_for()
                throws Exception {
            Jta.MANAGER.begin();
            Jta.MANAGER.setRollbackOnly();
            refuses("marked for rollback");
            transactions.atEnd(() -> done.add("atEnd"));
            assertThat(done).containsExactly("atEnd");
            Jta.MANAGER.rollback();
        }

        @Test
        void after_the_rollback_by_another_thread_the_transactions_own_thread_is_not_outside() throws Exception {
            Jta.MANAGER.begin();
            transactions.atEnd(() -> done.add("first"));
            Transaction mine = Jta.MANAGER.getTransaction();
            onAnotherThread(mine::rollback);
            assertThat(done).containsExactly("first");
            assertThat(transactions.active()).isTrue();
            refuses("timeout");
            transactions.atEnd(() -> done.add("second"));
            assertThat(done).containsExactly("first", "second");
            Jta.MANAGER.suspend();
        }

        /** As at a timeout. The caller's own rollback follows its statements. */
        @Test
        void a_rollback_on_another_thread_may_leave_a_statement_that_commits_by_itself() throws Exception {
            transactions.afterFailedCommit(() -> done.add("looks"));
            Jta.MANAGER.begin();
            transactions.atEnd(() -> done.add("own"));
            Jta.MANAGER.rollback();
            Jta.MANAGER.begin();
            transactions.atEnd(() -> done.add("other"));
            Transaction mine = Jta.MANAGER.getTransaction();
            onAnotherThread(mine::rollback);
            Jta.MANAGER.suspend();
            assertThat(done).containsExactly("own", "other", "looks");
        }

        @Test
        void after_the_completion_the_committing_thread_is_not_outside() throws Exception {
            Jta.MANAGER.begin();
            transactions.afterCommit(() -> {
                refuses("in a transaction of its own");
                done.add("refused");
            });
            transactions.afterCommit(() -> done.add("afterCommit"));
            transactions.atEnd(() -> {
                refuses("in a transaction of its own");
                done.add("refused again");
            });
            transactions.atEnd(() -> transactions.atEnd(() -> done.add("atEnd")));
            Jta.MANAGER.commit();
            assertThat(done).containsExactly("refused", "afterCommit", "refused again", "atEnd");
        }

        @Test
        @Tag("full")
        void of_actions_added_while_another_thread_rolls_back_each_runs_or_is_refused() throws Exception {
            for (int round = 0; round < 200; round++) {
                AtomicInteger ran = new AtomicInteger();
                int accepted = 0;
                Jta.MANAGER.begin();
                transactions.atEnd(ran::incrementAndGet);
                Transaction mine = Jta.MANAGER.getTransaction();
                CompletableFuture<Void> rollback = CompletableFuture.runAsync(() -> unchecked(mine::rollback));
                while (!rollback.isDone()) {
                    transactions.atEnd(ran::incrementAndGet);
                    accepted++;
                }
                rollback.get();
                assertThat(ran).hasValue(accepted + 1);
                Jta.MANAGER.suspend();
            }
        }

        @ParameterizedTest
        @ValueSource(booleans = {false, true})
        void work_that_begins_in_the_beforeCompletion_of_another_synchronization_follows_the_commit(boolean interposed)
                throws Exception {
            Jta.MANAGER.begin();
            Synchronization another = new Synchronization() {
                @Override
                public void beforeCompletion() {
                    transactions.afterCommit(() -> done.add("afterCommit"));
                }

                @Override
                public void afterCompletion(int status) {
                    throw new AssertionError("of an application");
                }
            };
            if (interposed) {
                Jta.REGISTRY.registerInterposedSynchronization(another);
            } else {
                Jta.MANAGER.getTransaction().registerSynchronization(another);
            }
            Jta.MANAGER.commit();
            assertThat(done).containsExactly("afterCommit");
        }

        private void refuses(String words) {
            assertThatThrownBy(transactions::check)
                    .isInstanceOf(TransactionNotActiveException.class)
                    .hasMessageContaining(words)
                    .hasMessageContaining("nothing was changed");
        }

        /** Something that the transaction manager does. */
        @FunctionalInterface
        private interface Ending {
            void run() throws Exception;
        }

        private static void onAnotherThread(Ending ending) throws Exception {
            CompletableFuture.runAsync(() -> unchecked(ending)).get();
        }

        private static void unchecked(Ending ending) {
            try {
                ending.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
