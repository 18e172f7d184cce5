package org.tasktube.inflow;

import jakarta.resource.spi.InvalidPropertyException;
import java.io.FileNotFoundException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.tasktube.TaskRejectedException;
import org.tasktube.TubeDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TaskActivationSpecTest {

    private static TaskActivationSpec spec(Consumer<TaskActivationSpec> change) {
        TaskActivationSpec spec = new TaskActivationSpec();
        spec.setTube("mails");
        change.accept(spec);
        return spec;
    }

    private static void refused(Consumer<TaskActivationSpec> change, String... parts) {
        assertThatThrownBy(() -> DeliveryPolicy.of(spec(change)))
                .isInstanceOf(InvalidPropertyException.class)
                .hasMessageContainingAll(parts);
    }

    @Test
    void the_defaults_are_valid() throws InvalidPropertyException {
        DeliveryPolicy policy = DeliveryPolicy.of(spec(s -> {}));
        assertThat(policy)
                .isEqualTo(new DeliveryPolicy(
                        "mails",
                        ListenerMethod.ON_TASK,
                        8,
                        1,
                        new RetryPolicy(10, Duration.ofSeconds(1), 2, Duration.ofHours(1)),
                        Optional.empty(),
                        true,
                        true,
                        Optional.empty()));
    }

    @Test
    void a_bean_declares_its_tube_by_the_type_and_further_properties() throws InvalidPropertyException {
        assertThat(DeliveryPolicy.of(spec(s -> {
                            s.setTubeType("limfifottl");
                            s.setTubeCapacity("10");
                            s.setTubeTtl("1h");
                            s.setTubeTtr("30s");
                        }))
                        .declared())
                .contains(TubeDefinition.limfifottl("mails", 10)
                        .ttl(Duration.ofHours(1))
                        .ttr(Duration.ofSeconds(30)));
        refused(s -> s.setTubeTtr("30s"), "tubeTtr", "tubeType");
        refused(s -> s.setTubeType("no type"), "tubeType", "no type");
    }

    @Test
    void exceptions_of_named_classes_are_final_also_as_causes_and_as_subclasses() throws InvalidPropertyException {
        RetryPolicy retry = DeliveryPolicy.of(
                        spec(s -> s.setFinalExceptions("java.io.IOException, java.lang.ArithmeticException")))
                .retry();
        assertThat(retry.delayAfter(1, new FileNotFoundException(), 0)).isEmpty();
        assertThat(retry.delayAfter(1, new IllegalStateException(new ArithmeticException()), 0))
                .isEmpty();
        assertThat(retry.delayAfter(1, new IllegalStateException(), 0)).isPresent();
        refused(s -> s.setFinalExceptions("java.io.IOException,"), "finalExceptions", "commas");
    }

    @Test
    void a_bean_of_batches_has_their_size_too() throws InvalidPropertyException {
        TaskBatchActivationSpec spec = new TaskBatchActivationSpec();
        spec.setTube("mails");
        assertThat(DeliveryPolicy.of(spec).batchSize()).isEqualTo(64);
        assertThat(DeliveryPolicy.of(spec).listener()).isEqualTo(ListenerMethod.ON_TASKS);
        for (String wrong : List.of("0", "1001", "many", "")) {
            spec.setBatchSize(wrong);
            assertThatThrownBy(() -> DeliveryPolicy.of(spec))
                    .isInstanceOf(InvalidPropertyException.class)
                    .hasMessageContaining("batchSize");
        }
    }

    @Test
    void a_delay_varies_by_a_fifth_and_is_never_below_the_first_nor_above_the_longest() {
        RetryPolicy retry = new RetryPolicy(10, Duration.ofSeconds(1), 2, Duration.ofSeconds(10));
        Exception failure = new IllegalStateException("x");
        assertThat(retry.delayAfter(1, failure, 0)).contains(Duration.ofSeconds(1));
        assertThat(retry.delayAfter(1, failure, 1)).contains(Duration.ofMillis(1_200));
        assertThat(retry.delayAfter(3, failure, 0)).contains(Duration.ofMillis(3_200));
        assertThat(retry.delayAfter(3, failure, 0.5)).contains(Duration.ofSeconds(4));
        assertThat(retry.delayAfter(9, failure, 0)).contains(Duration.ofSeconds(8));
        assertThat(retry.delayAfter(9, failure, 1)).contains(Duration.ofSeconds(10));
        assertThat(retry.delayAfter(10, failure, 0)).isEmpty();
    }

    @Test
    void a_rejected_task_has_no_further_attempt_also_if_that_is_the_cause_or_a_subclass() {
        RetryPolicy retry = new RetryPolicy(0, Duration.ofSeconds(1), 2, Duration.ofSeconds(10));
        TaskRejectedException rejected = new TaskRejectedException("no such order");
        assertThat(retry.delayAfter(1, rejected, 0)).isEmpty();
        assertThat(retry.delayAfter(1, new IllegalStateException(rejected), 0)).isEmpty();
        assertThat(retry.delayAfter(1, new TaskRejectedException("x") {}, 0)).isEmpty();
    }

    @Test
    void a_missing_tube_is_refused_by_name() {
        refused(s -> s.setTube(null), "tube", "missing");
    }

    @Test
    void what_cannot_be_read_is_refused_by_name_and_value_all_at_once() {
        refused(
                s -> {
                    s.setMaxSession("many");
                    s.setRetryDelay("soon");
                    s.setRetryMultiplier("NaN");
                    s.setGatherAcks("yes");
                    s.setHandOver("no");
                },
                "maxSession is 'many'",
                "retryDelay is 'soon'",
                "retryMultiplier is 'NaN'",
                "gatherAcks is 'yes'",
                "handOver is 'no'");
    }

    @Test
    void what_is_out_of_its_bounds_is_refused_with_the_bound() {
        refused(s -> s.setMaxSession("0"), "maxSession", "takes a whole number, 1 to 10000");
        refused(s -> s.setMaxAttempts("-1"), "maxAttempts", "takes a whole number, 0 to");
        refused(s -> s.setRetryMultiplier("0.5"), "retryMultiplier", "takes a number, 1");
        refused(s -> s.setRetryDelay("-1"), "retryDelay");
    }

    @Test
    void a_contradiction_names_both() {
        refused(
                s -> {
                    s.setRetryDelay("2h");
                    s.setMaxRetryDelay("1h");
                },
                "maxRetryDelay (1h)",
                "retryDelay (2h)");
    }

    @Test
    void an_unresolved_expression_is_refused_and_explained() {
        refused(s -> s.setMaxSession("${sessions:5}"), "${sessions:5}", "jboss-ejb3.xml");
    }

    @Test
    void durations_are_read_in_each_form() throws InvalidPropertyException {
        assertThat(delay("250")).isEqualTo(Duration.ofMillis(250));
        assertThat(delay("250ms")).isEqualTo(Duration.ofMillis(250));
        assertThat(delay("1.5s")).isEqualTo(Duration.ofMillis(1500));
        assertThat(delay("2m")).isEqualTo(Duration.ofMinutes(2));
        assertThat(delay("PT3S")).isEqualTo(Duration.ofSeconds(3));
        refused(s -> s.setRetryDelay("0.0001ms"), "retryDelay");
        refused(s -> s.setRetryDelay("999999999999d"), "retryDelay");
    }

    private static Duration delay(String text) throws InvalidPropertyException {
        return DeliveryPolicy.of(spec(s -> {
                    s.setRetryDelay(text);
                    s.setMaxRetryDelay("36500d");
                }))
                .retry()
                .delay();
    }

    @Test
    void the_delay_grows_to_its_bound_and_ends_with_the_last_attempt() throws InvalidPropertyException {
        DeliveryPolicy policy = DeliveryPolicy.of(spec(s -> {
            s.setMaxAttempts("4");
            s.setMaxRetryDelay("3s");
        }));
        assertThat(policy.retry().delayAfter(1)).contains(Duration.ofSeconds(1));
        assertThat(policy.retry().delayAfter(2)).contains(Duration.ofSeconds(2));
        assertThat(policy.retry().delayAfter(3)).contains(Duration.ofSeconds(3));
        assertThat(policy.retry().delayAfter(4)).isEmpty();
        assertThat(policy.retry().isOver(4)).isFalse();
        assertThat(policy.retry().isOver(5)).isTrue();
    }

    @Test
    void attempts_without_a_bound_never_end() throws InvalidPropertyException {
        DeliveryPolicy policy = DeliveryPolicy.of(spec(s -> s.setMaxAttempts("0")));
        assertThat(policy.retry().delayAfter(1_000_000)).contains(Duration.ofHours(1));
        assertThat(policy.retry().isOver(1_000_000)).isFalse();
    }

    @Test
    void a_transactions_timeout_is_in_whole_seconds_and_0_is_the_servers() throws InvalidPropertyException {
        assertThat(timeout("0")).isEmpty();
        assertThat(timeout("10m")).contains(Duration.ofMinutes(10));
        assertThat(timeout("1500ms")).contains(Duration.ofSeconds(2));
        refused(s -> s.setTransactionTimeout("25h"), "transactionTimeout is '25h'", "takes ");
        refused(s -> s.setTransactionTimeout("soon"), "transactionTimeout is 'soon'");
    }

    private static Optional<Duration> timeout(String text) throws InvalidPropertyException {
        return DeliveryPolicy.of(spec(s -> s.setTransactionTimeout(text))).transactionTimeout();
    }

    @Test
    void nothing_comes_out_of_validate_because_a_wildfly_would_not_survive_it() {
        spec(s -> s.setMaxSession("0")).validate();
        new ChangeActivationSpec().validate();
        new TimerActivationSpec().validate();
    }
}
