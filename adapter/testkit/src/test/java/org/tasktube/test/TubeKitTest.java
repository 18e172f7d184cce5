package org.tasktube.test;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.inject.Inject;
import jakarta.transaction.RollbackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Schedule;
import org.tasktube.Task;
import org.tasktube.TaskBatchListener;
import org.tasktube.TaskListener;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeNotFoundException;
import org.tasktube.TypedTaskListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** What an application's test can rely on. */
class TubeKitTest {

    @RegisterExtension
    final TubeKit kit = new TubeKit(Letter.class);

    private long post(String address) {
        PostOffice office = kit.inject(new PostOffice());
        return kit.inTransaction(() -> office.post(address));
    }

    private Letter letter(long id) {
        return kit.inTransaction(() -> kit.entities().find(Letter.class, id));
    }

    /** Does something with the tube. */
    private void in(String name, Consumer<Tube> work) {
        try (TubeConnection connection = kit.tubes().getConnection()) {
            work.accept(connection.createTubeIfNotExists(TubeDefinition.of(name, TubeDefinition.FIFOTTL)));
        }
    }

    @Test
    void a_bean_s_row_and_the_ack_commit_together() {
        long id = post("ann@shop.org");
        assertThat(kit.deliver(kit.inject(new Sender()))).isEqualTo(1);
        assertThat(letter(id).sent).isTrue();
        assertThat(kit.puts("letters")).isEmpty();
    }

    @Test
    void what_the_bean_throws_reaches_the_test_and_its_work_is_rolled_back() {
        long id = post("bob");
        post("ann@shop.org");
        Sender sender = kit.inject(new Sender());
        assertThatIllegalStateException()
                .isThrownBy(() -> kit.deliver(sender))
                .withMessage("letter " + id + " has no address: bob");
        assertThat(letter(id).sent).isFalse();
        assertThat(kit.puts("letters")).extracting(Task::state).containsExactly(TaskState.DELAYED, TaskState.READY);
    }

    @Test
    void a_retry_is_due_when_the_time_has_come_and_the_last_attempt_buries() {
        long id = post("bob");
        Sender sender = kit.inject(new Sender());
        for (int hours = 1; hours <= 3; hours++) {
            assertThatIllegalStateException().isThrownBy(() -> kit.deliver(sender));
            kit.advance(Duration.ofHours(hours));
        }
        assertThat(kit.puts("letters")).extracting(Task::state).containsExactly(TaskState.BURIED);
        kit.inTransaction(() -> kit.entities().find(Letter.class, id).address = "bob@shop.org");
        in("letters", Tube::kick);
        assertThat(kit.deliver(sender)).isEqualTo(1);
        assertThat(letter(id).sent).isTrue();
    }

    @Test
    void a_put_that_is_rolled_back_is_no_put() {
        PostOffice office = kit.inject(new PostOffice());
        assertThatIllegalStateException()
                .isThrownBy(() -> kit.inTransaction(() -> {
                    office.post("ann@shop.org");
                    throw new IllegalStateException("no");
                }));
        assertThat(kit.puts("letters")).isEmpty();
        assertThat(kit.<Object>inTransaction(() -> kit.entities()
                        .createQuery("SELECT count(l) FROM Letter l")
                        .getSingleResult()))
                .isEqualTo(0L);
    }

    @Test
    void puts_are_those_since_the_last_call() {
        in("orders", orders -> {
            orders.put("a");
            orders.put("b", PutOptions.defaults().delay(Duration.ofHours(1)));
            assertThat(kit.puts("orders")).extracting(Task::text).containsExactly("a", "b");
            orders.put("c");
            assertThat(kit.puts("orders")).extracting(Task::text).containsExactly("c");
            assertThat(kit.puts("orders")).isEmpty();
        });
        assertThat(kit.puts("others")).isEmpty();
    }

    @Test
    void tasks_that_become_ready_by_a_delivery_are_delivered_too() {
        in("chain", chain -> chain.put(3));
        List<Integer> got = new ArrayList<>();
        TaskListener countdown = task -> {
            int number = task.data(Integer.class);
            got.add(number);
            if (number > 0) {
                in("chain", chain -> chain.put(number - 1));
            }
        };
        assertThat(kit.deliver(countdown, "chain")).isEqualTo(4);
        assertThat(got).containsExactly(3, 2, 1, 0);
    }

    @Test
    void many_tasks_are_delivered_in_their_order_each_once() {
        in("many", many -> {
            for (int i = 0; i < 300; i++) {
                many.put(i);
            }
        });
        List<Integer> got = new ArrayList<>();
        TaskListener bean = task -> got.add(task.data(Integer.class));
        assertThat(kit.deliver(bean, "many")).isEqualTo(300);
        assertThat(got).hasSize(300).isSorted();
    }

    @Test
    void a_bean_can_release_its_own_task() {
        in("orders", orders -> orders.put("a"));
        TaskListener bean = task -> in(
                "orders",
                orders -> orders.release(task, ReleaseOptions.defaults().delay(Duration.ofMinutes(5))));
        assertThat(kit.deliver(bean, "orders")).isEqualTo(1);
        assertThat(kit.deliver(bean, "orders")).isZero();
        kit.advance(Duration.ofMinutes(6));
        assertThat(kit.deliver(bean, "orders")).isEqualTo(1);
    }

    /** Data of a task. */
    public record Order(int number) {}

    private static final class Typed implements TypedTaskListener<Order> {
        private int last;

        @Override
        public void onTask(Order order, Task task) {
            last = order.number();
        }
    }

    @Test
    void beans_of_data_and_of_batches_get_theirs() {
        in("orders", orders -> orders.putAll(List.of(new Order(1), new Order(2)), PutOptions.defaults()));
        List<Integer> sizes = new ArrayList<>();
        TaskBatchListener batches = tasks -> sizes.add(tasks.size());
        assertThat(kit.deliver(batches, "orders")).isEqualTo(1);
        assertThat(sizes).containsExactly(2);
        in("orders", orders -> orders.put(new Order(3)));
        Typed typed = new Typed();
        kit.deliver(typed, "orders");
        assertThat(typed.last).isEqualTo(3);
    }

    @MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tubes", propertyValue = "letters"))
    private static final class Misspelt implements TaskListener {
        @Override
        public void onTask(Task task) {
            throw new AssertionError("never called");
        }
    }

    @Test
    void what_a_server_would_only_log_is_an_error_here() {
        TaskListener bean = task -> {};
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kit.deliver(new Misspelt()))
                .withMessageContaining("no activation property 'tubes'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kit.deliver(bean))
                .withMessageContaining("@MessageDriven");
        assertThatIllegalArgumentException().isThrownBy(() -> kit.deliver("no bean", "letters"));
        assertThatThrownBy(() -> kit.deliver(bean, "missing"))
                .isInstanceOf(TubeNotFoundException.class)
                .hasMessageContaining("tube 'missing' does not exist");
        in("stopped", stopped -> {
            stopped.put("a");
            stopped.pause("a test");
        });
        assertThatIllegalStateException()
                .isThrownBy(() -> kit.deliver(bean, "stopped"))
                .withMessageContaining("PAUSED");
    }

    @MessageDriven(
            activationConfig = {
                @ActivationConfigProperty(propertyName = "tube", propertyValue = "declared"),
                @ActivationConfigProperty(propertyName = "tubeType", propertyValue = "fifo")
            })
    private static final class Declares implements TaskListener {
        @Override
        public void onTask(Task task) {
            throw new AssertionError("there are no tasks");
        }
    }

    @Test
    void a_bean_that_declares_its_tube_creates_it() {
        assertThat(kit.deliver(new Declares())).isZero();
        try (TubeConnection connection = kit.tubes().getConnection()) {
            assertThat(connection.findTube("declared")).isPresent();
        }
    }

    @Test
    void a_checked_exception_and_a_mark_for_rollback_are_failures_too() {
        in("orders", orders -> orders.put("a"));
        TaskListener checked = task -> {
            throw new java.io.IOException("no printer");
        };
        assertThatThrownBy(() -> kit.deliver(checked, "orders")).hasRootCauseMessage("no printer");
        kit.advance(Duration.ofHours(1));
        TaskListener marks = task -> KitServer.TRANSACTIONS.setRollbackOnly();
        assertThatIllegalStateException()
                .isThrownBy(() -> kit.deliver(marks, "orders"))
                .withMessageContaining("rollback");
    }

    private static class Base {
        @Resource
        private TubeConnectionFactory tubes;
    }

    private static class Desk extends Base {
        @EJB
        private PostOffice office;

        @Inject
        private Clerk clerk;
    }

    private static final class Clerk {
        @Inject
        private PostOffice office;

        @Inject
        private Clerk self;
    }

    private static final class Printing extends Desk {
        @Inject
        private Runnable printer;
    }

    @Test
    void fields_are_set_as_by_a_container_and_what_cannot_be_is_named() {
        Desk desk = kit.inject(new Desk());
        assertThat(((Base) desk).tubes).isSameAs(kit.tubes());
        assertThat(desk.clerk.office).isSameAs(desk.office).isNotNull();
        assertThat(desk.clerk.self).isSameAs(desk.clerk);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kit.inject(new Printing()))
                .withMessageContaining("field printer of org.tasktube.test.TubeKitTest$Printing");
        Runnable fake = () -> {};
        assertThat(kit.inject(new Printing(), fake).printer).isSameAs(fake);
    }

    @Test
    void a_schedule_fires_when_its_time_has_come() {
        in("reports", reports -> {});
        try (TubeConnection connection = kit.tubes().getConnection()) {
            connection.schedule(
                    Schedule.cron("nightly", "0 0 3 * * *", "Europe/Berlin").into("reports", "all"));
        }
        assertThat(kit.puts("reports")).isEmpty();
        TaskListener bean = task -> {};
        for (int night = 0; night < 3; night++) {
            kit.advance(Duration.ofDays(1));
            assertThat(kit.puts("reports")).extracting(Task::text).containsExactly("all");
            kit.deliver(bean, "reports");
        }
    }

    @Test
    void each_fire_has_its_own_time() {
        in("reports", reports -> {});
        try (TubeConnection connection = kit.tubes().getConnection()) {
            connection.schedule(Schedule.every("hourly", Duration.ofHours(1))
                    .into("reports", "all")
                    .allowOverlap()
                    .skipIfLateBy(Duration.ofMinutes(1)));
        }
        kit.advance(Duration.ofHours(5).plusMinutes(1));
        assertThat(kit.puts("reports")).hasSize(5);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kit.advance(Duration.ofDays(10_000)))
                .withMessageContaining("more than 10000 times");
    }

    @Test
    void of_a_failed_batch_the_good_tasks_are_acked_and_the_bad_one_is_retried() {
        in("orders", orders -> orders.putAll(List.of("a", "bad", "c"), PutOptions.defaults()));
        TaskBatchListener bean = tasks -> {
            if (tasks.stream().anyMatch(task -> task.text().equals("bad"))) {
                throw new IllegalStateException("a bad one of " + tasks.size());
            }
        };
        assertThatIllegalStateException()
                .isThrownBy(() -> kit.deliver(bean, "orders"))
                .withMessage("a bad one of 1");
        assertThat(kit.puts("orders"))
                .extracting(Task::text, Task::state)
                .containsExactly(tuple("bad", TaskState.DELAYED));
        kit.advance(Duration.ofMinutes(1));
        assertThatIllegalStateException().isThrownBy(() -> kit.deliver(bean, "orders"));
    }

    @Test
    void a_transaction_that_is_only_marked_for_rollback_is_told() {
        assertThatThrownBy(() -> kit.inTransaction(() -> {
                    in("orders", orders -> orders.put("a"));
                    KitServer.TRANSACTIONS.setRollbackOnly();
                    return 1;
                }))
                .hasCauseInstanceOf(RollbackException.class);
        assertThat(kit.puts("orders")).isEmpty();
    }

    @Test
    void what_others_cannot_see_yet_is_not_delivered() {
        TaskListener bean = task -> {};
        in(
                "orders",
                orders -> kit.inTransaction(() -> {
                    orders.put("a");
                    assertThatIllegalStateException().isThrownBy(() -> kit.deliver(bean, "orders"));
                    assertThatIllegalStateException().isThrownBy(() -> kit.puts("orders"));
                }));
        assertThat(kit.deliver(bean, "orders")).isEqualTo(1);
    }

    @Test
    void data_that_a_bean_cannot_read_is_said_to_be_so() {
        in("orders", orders -> orders.put("no order"));
        assertThatIllegalStateException()
                .isThrownBy(() -> kit.deliver(new Typed(), "orders"))
                .withMessageContaining("does not map");
        assertThat(kit.puts("orders")).extracting(Task::state).containsExactly(TaskState.BURIED);
    }

    @TransactionManagement(TransactionManagementType.BEAN)
    private static final class LeavesOpen implements TaskListener {
        @Override
        public void onTask(Task task) throws Exception {
            KitServer.TRANSACTIONS.begin();
        }
    }

    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    private static class Without implements TaskListener {
        private boolean had;

        @Override
        public void onTask(Task task) throws Exception {
            had = KitServer.TRANSACTIONS.getTransaction() != null;
        }
    }

    private static final class Inherits extends Without {}

    @Test
    void transactions_are_those_of_the_annotations() {
        in("orders", orders -> orders.put("a"));
        Inherits bean = new Inherits();
        assertThat(kit.deliver(bean, "orders")).isEqualTo(1);
        assertThat(((Without) bean).had).isFalse();
        in("orders", orders -> orders.put("b"));
        assertThatIllegalStateException()
                .isThrownBy(() -> kit.deliver(new LeavesOpen(), "orders"))
                .withMessageContaining("left a transaction open");
    }

    private static final class Configured {
        @Resource(name = "from")
        private String from;

        private boolean constructed;

        @PostConstruct
        private void begin() {
            constructed = true;
        }
    }

    @Test
    void a_value_that_the_test_does_not_give_is_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> kit.inject(new Configured()));
        Configured configured = kit.inject(new Configured(), "me");
        assertThat(configured.from).isEqualTo("me");
        assertThat(configured.constructed).isTrue();
    }

    @Test
    void time_goes_forward_only() {
        assertThatIllegalArgumentException().isThrownBy(() -> kit.advance(Duration.ofSeconds(-1)));
    }

    @Test
    void a_task_alone_is_as_a_delivery_gives_it() {
        Task task = TestTask.of(new Order(7));
        assertThat(task.data(Order.class)).isEqualTo(new Order(7));
        assertThat(task.state()).isEqualTo(TaskState.TAKEN);
        Task second = TestTask.with("x")
                .id(5)
                .tube("t")
                .pri(2)
                .attempts(3)
                .utube("u")
                .header("k", "v")
                .build();
        assertThat(second)
                .hasToString(new Task(
                                5,
                                "t",
                                TaskState.TAKEN,
                                2,
                                3,
                                1,
                                java.util.Optional.of("u"),
                                java.util.Map.of("k", "v"),
                                second.data())
                        .toString());
    }
}
