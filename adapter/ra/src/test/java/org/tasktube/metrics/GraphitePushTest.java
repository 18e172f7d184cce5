package org.tasktube.metrics;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tasktube.PutOptions;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;
import org.tasktube.metrics.GraphiteSettings.Protocol;
import org.tasktube.node.Node;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TcpGraphite;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

/** What is sent to Graphite, and that a failure of it disturbs nothing else. */
class GraphitePushTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofMillis(300);
    private static final InstantSource NOON = InstantSource.fixed(Instant.parse("2026-11-21T12:00:00.999Z"));

    /** More than the kernel keeps for a connection that is not read. */
    private static final int TOO_MANY_TUBES = 20_000;

    private static HikariDataSource database;
    private static RunningNode running;
    private static Node node;

    private final LogMessages log = new LogMessages();
    private final List<GraphitePush> started = new ArrayList<>();
    private ClientConnection session;
    private Tube tube;

    @BeforeAll
    static void start() {
        database = TestDatabase.H2.create();
        running = new RunningNode(database);
        node = running.node();
    }

    @AfterAll
    static void stop() {
        running.close();
        database.close();
    }

    @BeforeEach
    void open() {
        session = new ClientConnection();
        tube = running.newTube(session, TubeDefinition.FIFOTTL);
    }

    @AfterEach
    void close() {
        started.forEach(GraphitePush::end);
        node.close(session);
        log.close();
    }

    @Test
    void tcp_carries_all_numbers_of_a_tube_as_plain_lines() throws Exception {
        try (TcpGraphite graphite = new TcpGraphite()) {
            work();
            push(Protocol.TCP, graphite.port()).push();

            List<String> lines = graphite.lines();
            assertThat(lines)
                    .contains("test.tube." + tube.name() + ".ready 2 1795262400")
                    .allMatch(line -> line.matches("test\\.tube\\.[A-Za-z0-9_-]+\\.[a-z_.]+ \\d+ 1795262400"));
            assertThat(numbers(lines)).isEqualTo(afterWork());
        }
    }

    @Test
    void udp_carries_each_number_in_a_datagram() throws Exception {
        try (DatagramSocket graphite = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            graphite.setSoTimeout(20_000);
            work();
            GraphiteSettings settings = settings(Protocol.UDP, graphite.getLocalPort(), HOUR);
            push(settings, () -> List.of(tube.statistics()), HOUR).push();

            List<String> lines = new ArrayList<>();
            for (int i = 0; i < afterWork().size(); i++) {
                lines.add(datagram(graphite));
            }
            assertThat(lines).allMatch(line -> line.endsWith(" 1795262400\n"));
            assertThat(numbers(lines)).isEqualTo(afterWork());
        }
    }

    @Test
    void tubes_come_and_go() throws Exception {
        try (TcpGraphite graphite = new TcpGraphite()) {
            GraphitePush push = push(Protocol.TCP, graphite.port());
            Tube other = running.newTube(session, TubeDefinition.FIFO);
            push.push();
            assertThat(graphite.lines()).anyMatch(line -> line.contains("." + other.name() + "."));

            other.drop();
            push.push();
            assertThat(graphite.lines())
                    .noneMatch(line -> line.contains("." + other.name() + "."))
                    .anyMatch(line -> line.contains("." + tube.name() + "."));
        }
    }

    @Test
    void a_server_without_tubes_sends_nothing() throws Exception {
        try (TcpGraphite graphite = new TcpGraphite()) {
            push(settings(Protocol.TCP, graphite.port(), HOUR), List::of, HOUR).push();

            assertThat(graphite.lines()).isEmpty();
            assertThat(log.next()).isEmpty();
        }
    }

    @Test
    void the_numbers_of_each_interval_are_sent() throws Exception {
        try (TcpGraphite graphite = new TcpGraphite()) {
            start(settings(Protocol.TCP, graphite.port(), Duration.ofMillis(20)), node::statistics);

            assertThat(numbers(graphite.lines())).containsEntry("ready", 0L);
            tube.put("a");
            Eventually.holds(() -> ready(graphite) == 1, "the task is in what is sent");
        }
    }

    @Test
    void an_unreachable_graphite_is_logged_once_and_once_when_it_is_reachable() throws Exception {
        int port = freePort();
        GraphitePush push = push(Protocol.TCP, port);
        push.push();
        push.push();
        push.push();
        assertThat(log.next())
                .singleElement()
                .asString()
                .startsWith("TASKTUBE0400: Graphite at 127.0.0.1, port " + port + " (tcp) does not accept")
                .contains("ConnectException");

        try (TcpGraphite graphite = new TcpGraphite(port)) {
            push.push();
            push.push();
            assertThat(numbers(graphite.lines())).containsEntry("ready", 0L);
            assertThat(log.next()).singleElement().asString().startsWith("TASKTUBE0401");
        }
    }

    @Test
    void a_graphite_that_dies_and_comes_back_gets_the_numbers_of_then() throws Exception {
        TcpGraphite first = new TcpGraphite();
        GraphitePush push = push(Protocol.TCP, first.port());
        push.push();
        assertThat(numbers(first.lines())).containsEntry("ready", 0L);
        assertThat(log.next()).isEmpty();

        first.close();
        tube.put("a");
        push.push();
        tube.put("b");
        // The first bytes after the end of the other side are still taken by the kernel
        List<String> said = new ArrayList<>();
        Eventually.holds(
                () -> {
                    push.push();
                    said.addAll(log.next());
                    return !said.isEmpty();
                },
                "the push sees that Graphite is unreachable");
        assertThat(said).singleElement().asString().startsWith("TASKTUBE0400");

        try (TcpGraphite again = new TcpGraphite(first.port())) {
            push.push();
            assertThat(numbers(again.lines())).containsEntry("ready", 2L);
            assertThat(log.next()).singleElement().asString().startsWith("TASKTUBE0401");
        }
    }

    @Test
    void a_host_that_does_not_exist_is_logged_once() {
        GraphiteSettings nowhere = new GraphiteSettings("graphite.invalid", 2003, Protocol.UDP, "test", HOUR);
        GraphitePush push = push(nowhere, node::statistics, HOUR);
        push.push();
        push.push();

        assertThat(log.next()).singleElement().asString().contains("UnknownHostException: graphite.invalid");
    }

    @Test
    void a_graphite_that_never_reads_is_given_up_and_nothing_is_kept_for_it() throws Exception {
        try (ServerSocket graphite = unread()) {
            GraphitePush push =
                    push(settings(Protocol.TCP, graphite.getLocalPort(), HOUR), GraphitePushTest::tooMany, SOON);
            assertTimely(push);
            assertThat(log.next()).singleElement().asString().contains("it took longer than PT0.3S");

            try (Socket reader = graphite.accept()) {
                InputStream in = reader.getInputStream();
                assertThatThrownBy(in::readAllBytes).isInstanceOf(SocketException.class);
            }
            push.push();
            assertThat(log.next()).isEmpty();
        }
    }

    @Test
    void a_graphite_that_does_not_answer_is_given_up() throws Exception {
        try (Unanswering graphite = new Unanswering()) {
            assertTimely(push(settings(Protocol.TCP, graphite.port(), HOUR), node::statistics, SOON));

            assertThat(log.next()).singleElement().asString().contains("it took longer than PT0.3S");
        }
    }

    @Test
    void what_could_not_be_sent_leaves_nothing_open() throws Exception {
        GraphitePush push = push(Protocol.TCP, freePort());
        long before = openFiles();
        for (int i = 0; i < 500; i++) {
            push.push();
        }
        assertThat(openFiles()).isLessThan(before + 100);
    }

    private static long openFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    @Test
    void the_queue_works_while_graphite_does_not() throws Exception {
        try (ServerSocket graphite = unread()) {
            GraphiteSettings settings = settings(Protocol.TCP, graphite.getLocalPort(), Duration.ofMillis(20));
            Thread thread = start(settings, GraphitePushTest::tooMany);
            Eventually.holds(() -> waits(thread), "it waits for Graphite to read");

            work();
            assertThat(numbers(tube.statistics())).isEqualTo(afterWork());
            Eventually.holds(() -> waits(thread), "it still waits for Graphite to read");
        }
    }

    @Test
    void what_fails_in_between_does_not_end_it() throws Exception {
        try (TcpGraphite graphite = new TcpGraphite()) {
            List<Integer> calls = new ArrayList<>();
            start(settings(Protocol.TCP, graphite.port(), Duration.ofMillis(20)), () -> {
                calls.add(1);
                if (calls.size() == 1) {
                    throw new IllegalStateException("not yet");
                }
                if (calls.size() == 2) {
                    throw new NoClassDefFoundError("of what was redeployed");
                }
                return node.statistics();
            });

            assertThat(graphite.lines()).isNotEmpty();
            Eventually.holds(graphite::hasMore, "it goes on");
            assertThat(log.next())
                    .satisfiesExactly(away -> assertThat(away).contains("not yet"), back -> assertThat(back)
                            .startsWith("TASKTUBE0401"));
        }
    }

    @Test
    void the_end_does_not_wait_for_the_interval() throws Exception {
        Thread thread = start(settings(Protocol.TCP, freePort(), HOUR), node::statistics);
        Eventually.holds(() -> thread.getState() == Thread.State.TIMED_WAITING, "it waits for its interval");

        assertEndsAtOnce(thread);
    }

    @Test
    void the_end_does_not_wait_for_a_graphite_that_never_reads() throws Exception {
        try (ServerSocket graphite = unread()) {
            GraphiteSettings settings = settings(Protocol.TCP, graphite.getLocalPort(), Duration.ofMillis(20));
            Thread thread = start(settings, GraphitePushTest::tooMany);
            Eventually.holds(() -> waits(thread), "it waits for Graphite to read");

            assertEndsAtOnce(thread);
        }
    }

    @Test
    void the_end_does_not_wait_for_a_graphite_that_does_not_answer() throws Exception {
        try (Unanswering graphite = new Unanswering()) {
            GraphiteSettings settings = settings(Protocol.TCP, graphite.port(), Duration.ofMillis(20));
            Thread thread = start(settings, node::statistics);
            Eventually.holds(() -> waits(thread), "it waits for Graphite to answer");

            assertEndsAtOnce(thread);
        }
    }

    // What is done in the tube, and what is to be sent about it

    private void work() {
        for (int i = 0; i < 5; i++) {
            tube.put("task " + i);
        }
        tube.put("later", PutOptions.defaults().delay(HOUR));
        tube.ack(tube.take(Duration.ZERO).orElseThrow());
        tube.bury(tube.take(Duration.ZERO).orElseThrow());
        assertThat(tube.take(Duration.ZERO)).isPresent();
        tube.pause("inventory");
    }

    private static Map<String, Long> afterWork() {
        Map<String, Long> numbers = new HashMap<>(
                Map.of("ready", 2L, "delayed", 1L, "taken", 1L, "buried", 1L, "results", 0L, "done", 1L, "total", 5L));
        numbers.putAll(Map.of("paused", 1L, "draining", 0L));
        for (TubeEvent event : TubeEvent.values()) {
            numbers.put("calls." + event.name().toLowerCase(Locale.ROOT), 0L);
        }
        numbers.putAll(Map.of("calls.put", 6L, "calls.take", 3L, "calls.ack", 1L, "calls.bury", 1L));
        return numbers;
    }

    private static Map<String, Long> numbers(TubeStatistics tube) {
        Map<String, Long> numbers = new HashMap<>(Map.ofEntries(
                entry("ready", tube.ready()),
                entry("delayed", tube.delayed()),
                entry("taken", tube.taken()),
                entry("buried", tube.buried()),
                entry("results", tube.results()),
                entry("done", tube.endedSinceStart()),
                entry("total", tube.total()),
                entry("paused", tube.mode() == TubeMode.PAUSED ? 1L : 0L),
                entry("draining", tube.mode() == TubeMode.DRAINING ? 1L : 0L)));
        tube.events()
                .forEach((event, count) -> numbers.put("calls." + event.name().toLowerCase(Locale.ROOT), count));
        return numbers;
    }

    /** The numbers of the tube by their names in it. */
    private Map<String, Long> numbers(List<String> lines) {
        String name = "test.tube." + tube.name() + ".";
        Map<String, Long> numbers = new HashMap<>();
        lines.stream().filter(line -> line.startsWith(name)).forEach(line -> {
            String[] words = line.substring(name.length()).split(" ", -1);
            assertThat(numbers.put(words[0], Long.valueOf(words[1]))).isNull();
        });
        return numbers;
    }

    private long ready(TcpGraphite graphite) {
        try {
            return numbers(graphite.lines()).get("ready");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static List<TubeStatistics> tooMany() {
        Map<TubeEvent, Long> calls = new EnumMap<>(TubeEvent.class);
        Arrays.stream(TubeEvent.values()).forEach(event -> calls.put(event, 1L));
        return IntStream.range(0, TOO_MANY_TUBES)
                .mapToObj(i ->
                        new TubeStatistics("t" + i, 1, 1, 1, 1, 1, 1, 1, calls, TubeMode.OPEN, "", Instant.EPOCH, ""))
                .toList();
    }

    // Senders

    private static GraphiteSettings settings(Protocol protocol, int port, Duration interval) {
        return new GraphiteSettings("127.0.0.1", port, protocol, "test", interval);
    }

    private static GraphitePush push(Protocol protocol, int port) {
        return push(settings(protocol, port, HOUR), node::statistics, HOUR);
    }

    private static GraphitePush push(
            GraphiteSettings settings, Supplier<List<TubeStatistics>> statistics, Duration limit) {
        return new GraphitePush(settings, statistics, NOON, limit);
    }

    private Thread start(GraphiteSettings settings, Supplier<List<TubeStatistics>> statistics) {
        GraphitePush push = push(settings, statistics, HOUR);
        started.add(push);
        Thread thread = new Thread(push, "push");
        thread.start();
        return thread;
    }

    private static boolean waits(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(LimitedSocket.class.getName())
                        && frame.getMethodName().equals("await"));
    }

    private static void assertTimely(GraphitePush push) {
        long begun = System.nanoTime();
        push.push();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isBetween(SOON, Duration.ofMinutes(1));
    }

    private void assertEndsAtOnce(Thread thread) throws InterruptedException {
        started.forEach(GraphitePush::end);
        thread.join(2_000);
        assertThat(thread.isAlive()).isFalse();
        assertThat(log.next()).isEmpty();
    }

    // Receivers

    private static String datagram(DatagramSocket graphite) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[1_500], 1_500);
        graphite.receive(packet);
        return new String(packet.getData(), 0, packet.getLength(), StandardCharsets.US_ASCII);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** The kernel takes connections for it, and as many bytes as it has room for; they are not read. */
    private static ServerSocket unread() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    /** A port whose connections are not even taken by the kernel, as behind a firewall. */
    private static final class Unanswering implements AutoCloseable {

        private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final List<SocketChannel> ahead = new ArrayList<>();

        /** More connections than there is room for, so that the kernel does not answer the next one. */
        Unanswering() throws IOException {
            for (int i = 0; i < 4; i++) {
                SocketChannel channel = SocketChannel.open();
                channel.configureBlocking(false);
                channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()));
                ahead.add(channel);
            }
        }

        int port() {
            return server.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            for (SocketChannel channel : ahead) {
                channel.close();
            }
            server.close();
        }
    }
}
