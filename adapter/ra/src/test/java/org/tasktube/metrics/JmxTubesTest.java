package org.tasktube.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerFactory;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.TubeEvent;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;
import org.tasktube.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Each tube is an MBean, from its creation to its drop, or to the end of its adapter. */
class JmxTubesTest {

    private static final String DATASOURCE = "java:jboss/datasources/ExampleDS";

    private static final Duration SHORT = Duration.ofMillis(50);

    private final MBeanServer server = MBeanServerFactory.newMBeanServer();
    private final Numbers numbers = new Numbers();
    private final LogMessages log = new LogMessages();
    private final JmxTubes tubes = new JmxTubes(() -> server, DATASOURCE, numbers);

    @AfterEach
    void end() {
        tubes.close();
        log.close();
    }

    /** Tubes as a test sets them. */
    private static final class Numbers implements NumbersSource {

        private final Map<String, TubeNumbers> tubes = new HashMap<>();
        private Optional<Map<String, Duration>> ages = Optional.of(Map.of());

        @Override
        public List<TubeNumbers> all() {
            return List.copyOf(tubes.values());
        }

        @Override
        public Optional<TubeNumbers> of(String tube) {
            return Optional.ofNullable(tubes.get(tube));
        }

        @Override
        public Optional<Map<String, Duration>> oldestReady() {
            return ages;
        }
    }

    private void have(String tube, long ready) {
        TubeStatistics statistics = new TubeStatistics(
                tube,
                ready,
                2,
                3,
                4,
                5,
                6,
                ready + 14,
                Map.of(TubeEvent.PUT, 20L, TubeEvent.TAKE_TIMEOUT, 1L),
                TubeMode.PAUSED,
                "anna",
                Instant.parse("2026-11-22T11:00:00Z"),
                "the printer is broken");
        numbers.tubes.put(tube, new TubeNumbers(statistics, 7, 8));
    }

    private ObjectName name(String tube) throws Exception {
        return new ObjectName("org.tasktube:type=Tube,datasource=" + ObjectName.quote(DATASOURCE) + ",name="
                + ObjectName.quote(tube));
    }

    private Set<String> shown() throws Exception {
        return server.queryNames(new ObjectName("org.tasktube:*"), null).stream()
                .map(name -> ObjectName.unquote(name.getKeyProperty("name")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Shows tubes, and waits until that is done. */
    private void show(String... names) {
        tubes.show(Set.of(names));
        Eventually.holds(() -> shownNow().equals(Set.of(names)), "these tubes are shown");
    }

    private Set<String> shownNow() {
        try {
            return shown();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private Object read(String tube, String attribute) throws Exception {
        return server.getAttribute(name(tube), attribute);
    }

    @Test
    void a_tube_has_its_numbers_as_attributes() throws Exception {
        have("orders", 1);
        numbers.ages = Optional.of(Map.of("orders", Duration.ofMillis(90_005)));
        show("orders");

        Map<String, Object> expected = new HashMap<>(
                Map.of("Ready", 1L, "Delayed", 2L, "Taken", 3L, "Buried", 4L, "Results", 5L, "Done", 6L, "Total", 15L));
        expected.putAll(Map.of(
                "Mode",
                "PAUSED",
                "ModeBy",
                "anna",
                "ModeSince",
                "2026-11-22T11:00:00Z",
                "ModeReason",
                "the printer is broken",
                "Beans",
                7,
                "Waiting",
                8,
                "OldestReadySeconds",
                90.005));
        for (Map.Entry<String, Object> each : expected.entrySet()) {
            assertThat(read("orders", each.getKey())).as(each.getKey()).isEqualTo(each.getValue());
        }
        TabularData calls = (TabularData) read("orders", "Calls");
        assertThat(calls.get(new Object[] {"take-timeout"}).get("value")).isEqualTo(1L);
        assertThat(server.getMBeanInfo(name("orders")).getAttributes())
                .hasSize(expected.size() + 1)
                .noneMatch(attribute -> attribute.isWritable());
        assertThat(server.getMBeanInfo(name("orders")).getOperations()).isEmpty();
    }

    @Test
    void each_read_is_of_now() throws Exception {
        have("orders", 1);
        show("orders");
        have("orders", 99);
        assertThat(read("orders", "Ready")).isEqualTo(99L);
    }

    @Test
    void an_age_is_0_without_a_ready_task_and_null_if_it_cannot_be_read() throws Exception {
        have("orders", 0);
        show("orders");
        assertThat(read("orders", "OldestReadySeconds")).isEqualTo(0.0);
        numbers.ages = Optional.empty();
        assertThat(read("orders", "OldestReadySeconds")).isNull();
        assertThat(read("orders", "Ready")).isEqualTo(0L);
    }

    @Test
    void tubes_come_and_go() throws Exception {
        show("orders", "mail");
        show("mail", "reports");
        assertThat(shown()).containsExactly("mail", "reports");
    }

    @Test
    void a_read_of_a_tube_that_is_being_dropped_names_it() throws Exception {
        show("orders");
        assertThatThrownBy(() -> read("orders", "Ready"))
                .isInstanceOf(RuntimeMBeanException.class)
                .hasRootCauseMessage("tube 'orders' was dropped");
    }

    /** A driver of an application may allow names that TaskTube's own types do not. */
    @Test
    void a_hostile_name_is_one_tube() throws Exception {
        String hostile = "a\",name=\"b,*?=:\\\n<script>";
        show(hostile, "*");
        assertThat(shown()).containsExactlyInAnyOrder(hostile, "*");
        show("*");
        assertThat(shown()).containsExactly("*");
        assertThat(log.next()).isEmpty();
    }

    @Test
    void the_end_leaves_nothing_and_a_late_call_shows_nothing() throws Exception {
        show("orders", "mail");
        tubes.close();
        assertThat(shown()).isEmpty();
        tubes.show(Set.of("orders"));
        tubes.close();
        assertThat(shown()).isEmpty();
    }

    @Test
    void adapters_on_two_datasources_show_tubes_of_the_same_name() throws Exception {
        int before = server.getMBeanCount();
        JmxTubes other = new JmxTubes(() -> server, "java:/Other", numbers);
        show("orders");
        other.show(Set.of("orders"));
        Eventually.holds(() -> server.getMBeanCount() == before + 2, "both are shown");
        other.close();
        assertThat(server.isRegistered(name("orders"))).isTrue();
        assertThat(log.next()).isEmpty();
    }

    @Test
    void two_adapters_on_one_datasource_do_not_remove_each_others_tubes() throws Exception {
        JmxTubes other = new JmxTubes(() -> server, DATASOURCE, numbers);
        show("orders");
        other.show(Set.of("orders"));
        Eventually.holds(() -> log.next().size() == 1, "the refusal is logged");
        other.close();
        assertThat(server.isRegistered(name("orders"))).isTrue();
    }

    @Test
    void a_tube_that_another_has_removed_is_no_fault() throws Exception {
        show("orders");
        server.unregisterMBean(name("orders"));
        tubes.close();
        assertThat(log.next()).isEmpty();
    }

    /** A security manager, or a guard of the platform's MBean server, throws so. */
    @Test
    void a_server_that_refuses_is_told_of_once_and_asked_again() throws Exception {
        AtomicBoolean guarded = new AtomicBoolean(true);
        AtomicInteger asked = new AtomicInteger();
        JmxTubes refused = new JmxTubes(
                () -> {
                    asked.incrementAndGet();
                    if (guarded.get()) {
                        throw new SecurityException("not allowed");
                    }
                    return server;
                },
                DATASOURCE,
                numbers);
        refused.show(Set.of("orders", "mail"));
        Eventually.holds(() -> asked.get() == 2, "both tubes are refused");
        refused.show(Set.of("orders"));
        Eventually.holds(() -> asked.get() == 3, "it is asked again");
        assertThat(log.next()).singleElement().asString().contains("not allowed");

        guarded.set(false);
        refused.show(Set.of("orders"));
        Eventually.holds(() -> shownNow().equals(Set.of("orders")), "the tube is shown");
        guarded.set(true);
        refused.close();
    }

    /** Calls a listener, as an application adds one, at each MBean that comes or goes. */
    private void listen(NotificationListener listener) throws Exception {
        server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener, null, null);
    }

    @Test
    @Timeout(20)
    void a_listener_that_blocks_stops_neither_the_caller_nor_the_end() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch returns = new CountDownLatch(1);
        listen((notification, handback) -> {
            told.countDown();
            awaitUninterruptibly(returns);
        });
        JmxTubes bounded = new JmxTubes(() -> server, DATASOURCE, numbers, SHORT);

        bounded.show(Set.of("orders"));
        told.await();
        bounded.show(Set.of("orders", "mail"));
        bounded.close();
        List<String> said = new ArrayList<>();
        Eventually.holds(() -> said.addAll(log.next()), "the listener is reported");
        assertThat(said).singleElement().asString().contains("listener", "50ms", "tube orders");

        returns.countDown();
        Eventually.holds(() -> shownNow().isEmpty(), "the tube goes when the listener returns");
        assertThat(log.next()).isEmpty();
    }

    /** Waits as a listener that heeds no interrupt. */
    private static void awaitUninterruptibly(CountDownLatch latch) {
        for (boolean done = false; !done; ) {
            try {
                latch.await();
                done = true;
            } catch (InterruptedException e) {
                done = false;
            }
        }
    }

    @Test
    void an_error_of_a_listener_leaves_no_tube_behind_and_hides_none() throws Exception {
        listen((notification, handback) -> {
            throw new LinkageError("the application is gone");
        });
        show("orders", "mail", "reports");
        show("orders", "mail");
        tubes.close();
        assertThat(shown()).isEmpty();
        assertThat(log.next()).singleElement().asString().contains("the application is gone");
    }

    @Test
    void an_exception_of_a_listener_is_the_mbean_servers() throws Exception {
        listen((notification, handback) -> {
            throw new IllegalStateException("not ready");
        });
        show("orders", "mail");
        tubes.close();
        assertThat(shown()).isEmpty();
        assertThat(log.next()).isEmpty();
    }

    @Test
    void an_interrupt_that_a_listener_leaves_reaches_no_other_listener() throws Exception {
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        listen((notification, handback) -> {
            interrupted.add(Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
        });
        show("orders", "mail");
        tubes.close();
        assertThat(shown()).isEmpty();
        assertThat(interrupted).containsExactly(false, false, false, false);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    @Timeout(20)
    void a_listener_that_ends_the_adapter_does_not_wait_for_itself() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        listen((notification, handback) -> {
            tubes.close();
            ended.countDown();
        });
        tubes.show(Set.of("orders", "mail"));
        ended.await();
        Eventually.holds(() -> shownNow().isEmpty(), "nothing is left");
        assertThat(log.next()).isEmpty();
    }

    /** A thread of the adapter that runs an application's listener must not keep that application in memory. */
    @Test
    void listeners_run_without_the_context_of_the_thread_that_made_the_tube() throws Exception {
        List<ClassLoader> seen = new CopyOnWriteArrayList<>();
        listen((notification, handback) -> seen.add(Thread.currentThread().getContextClassLoader()));
        ClassLoader own = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(new ClassLoader(own) {});
        try {
            show("orders");
        } finally {
            Thread.currentThread().setContextClassLoader(own);
        }
        assertThat(seen).containsExactly(JmxTubes.class.getClassLoader());
        tubes.close();
    }
}
