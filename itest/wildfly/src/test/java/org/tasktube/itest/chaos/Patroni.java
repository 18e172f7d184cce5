package org.tasktube.itest.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tasktube.itest.app.Eventually;

/**
 * Two PostgreSQLs with synchronous replication, each with the Patroni that looks after it, and an etcd that says which of
 * them leads. All are Debian's. The password is for no one: the databases trust this machine.
 */
final class Patroni implements AutoCloseable {

    static final int NODES = 2;

    /** For how long the leader may be silent, in seconds; the least that Patroni takes. */
    static final int TTL = 20;

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");
    private static final Pattern LEADER = Pattern.compile("\"name\": \"db(\\d)\", \"role\": \"leader\"");

    private final Path directory;
    private final List<Integer> ports = new ArrayList<>();
    private final List<Integer> apis = new ArrayList<>();
    private final List<Process> nodes = new ArrayList<>(Collections.nCopies(NODES, null));
    private final HttpClient http = HttpClient.newHttpClient();
    private Process etcd;

    Patroni(Path directory) {
        this.directory = directory.toAbsolutePath();
    }

    /** Starts all, and returns when one node leads and the other follows it. */
    void start() throws IOException {
        int clients = freePort();
        String url = "http://127.0.0.1:" + clients;
        String peers = "http://127.0.0.1:" + freePort();
        Files.createDirectories(directory);
        etcd = started(
                "etcd",
                List.of(
                        "etcd",
                        // Debian's Patroni 3.0 can lose the state of the replication in its cache of version 3
                        "--enable-v2",
                        "--data-dir",
                        directory.resolve("etcd").toString(),
                        "--listen-client-urls",
                        url,
                        "--advertise-client-urls",
                        url,
                        "--listen-peer-urls",
                        peers));
        for (int i = 0; i < NODES; i++) {
            apis.add(freePort());
            ports.add(freePort());
            Path own = Files.createDirectories(directory.resolve("db" + i));
            Files.writeString(directory.resolve("db" + i + ".yml"), configuration(i, clients, own));
            start(i);
        }
        awaitWhole();
    }

    private String configuration(int node, int clients, Path own) {
        return """
                scope: tasktube
                name: db%1$d
                restapi: {listen: 127.0.0.1:%2$d, connect_address: 127.0.0.1:%2$d}
                etcd: {host: 127.0.0.1:%4$d}
                bootstrap:
                  dcs:
                    ttl: %7$d
                    loop_wait: 2
                    retry_timeout: 5
                    synchronous_mode: true
                    postgresql:
                      use_pg_rewind: true
                      parameters: {track_commit_timestamp: 'on', max_connections: 160}
                  initdb: [{encoding: UTF8}, {locale: C}]
                  pg_hba:
                  - host all all 127.0.0.1/32 trust
                  - host replication all 127.0.0.1/32 trust
                postgresql:
                  listen: 127.0.0.1:%3$d
                  connect_address: 127.0.0.1:%3$d
                  data_dir: %5$s/data
                  bin_dir: %6$s
                  pgpass: %5$s/pgpass
                  authentication:
                    superuser: {username: postgres, password: any}
                    replication: {username: replicator, password: any}
                  parameters: {unix_socket_directories: ''}
                """.formatted(node, apis.get(node), ports.get(node), clients, own, PROGRAMS, TTL);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Starts a node, and its database, after a kill too. */
    void start(int node) {
        List<String> command = new ArrayList<>(
                List.of("patroni", directory.resolve("db" + node + ".yml").toString()));
        if (System.getProperty("user.name").equals("root")) {
            // PostgreSQL refuses root; in a namespace of its own the process has no user, and its files are still ours
            command.addAll(0, List.of("unshare", "-U"));
        }
        nodes.set(node, started("db" + node, command));
    }

    private Process started(String name, List<String> command) {
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            directory.resolve(name + ".log").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns when one node leads, and the other has each of its commits: the number of the former. */
    int awaitWhole() {
        AtomicInteger leader = new AtomicInteger();
        Eventually.holds(
                PATIENCE,
                () -> {
                    leader.set(leader());
                    return leader.get() >= 0
                            && cluster().contains("\"role\": \"sync_standby\", \"state\": \"running\"");
                },
                () -> "one node leads and the other follows; see " + directory + "/*.log: " + cluster());
        return leader.get();
    }

    /** Returns when another node leads. */
    void awaitLeaderBut(int node) {
        Eventually.holds(PATIENCE, () -> leader() == 1 - node, () -> "another node leads: " + cluster());
    }

    /** Returns the number of the node that leads; -1 if none does. */
    int leader() {
        return LEADER.matcher(cluster())
                .results()
                .map(found -> Integer.parseInt(found.group(1)))
                .findFirst()
                .orElse(-1);
    }

    /** What any node knows of all: one of them may be killed, or frozen. */
    private String cluster() {
        return apis.stream()
                .map(this::cluster)
                .filter(known -> !known.isEmpty())
                .findFirst()
                .orElse("");
    }

    private String cluster(int api) {
        try {
            return ask(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + api + "/cluster")), SOON);
        } catch (IOException e) {
            return "";
        }
    }

    private String ask(HttpRequest.Builder request, Duration timeout) throws IOException {
        try {
            HttpResponse<String> answer = http.send(request.timeout(timeout).build(), BodyHandlers.ofString());
            return answer.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** Has the follower lead, as an administrator does before work on the leader's machine. */
    void switchOver() throws IOException {
        int leader = awaitWhole();
        String nodes = "{\"leader\":\"db" + leader + "\",\"candidate\":\"db" + (1 - leader) + "\"}";
        ask(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + apis.get(leader) + "/switchover"))
                        .POST(BodyPublishers.ofString(nodes)),
                PATIENCE);
        awaitLeaderBut(leader);
    }

    /** Kills a node and its database at once, as when the machine loses its power. */
    void kill(int node) {
        for (ProcessHandle each : processes(node)) {
            each.destroyForcibly();
            each.onExit().join();
        }
    }

    /** Freezes a node and its database; connections to it stay. */
    void freeze(int node) throws IOException {
        signal("STOP", node);
    }

    /** Ends {@link #freeze}. */
    void thaw(int node) throws IOException {
        signal("CONT", node);
    }

    private void signal(String signal, int node) throws IOException {
        List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
        processes(node).forEach(each -> command.add(Long.toString(each.pid())));
        new ProcessBuilder(command).start().onExit().join();
    }

    /** Patroni first, so that it starts nothing again, then the postmaster and its backends. */
    private List<ProcessHandle> processes(int node) {
        Process patroni = nodes.get(node);
        Stream<ProcessHandle> own =
                patroni == null ? Stream.of() : Stream.concat(Stream.of(patroni.toHandle()), patroni.descendants());
        return Stream.concat(own, database(node)).distinct().toList();
    }

    private Stream<ProcessHandle> database(int node) {
        try (Stream<String> pid = Files.lines(directory.resolve("db" + node + "/data/postmaster.pid"))) {
            return ProcessHandle.of(Long.parseLong(pid.findFirst().orElseThrow())).stream()
                    .flatMap(postmaster -> Stream.concat(Stream.of(postmaster), postmaster.descendants()));
        } catch (NoSuchFileException e) {
            return Stream.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The URL of docs/scale.md: of both nodes, of which the driver takes the leader. Begins with that of now. */
    String url() {
        int leader = awaitWhole();
        return "jdbc:postgresql://127.0.0.1:" + ports.get(leader) + ",127.0.0.1:" + ports.get(1 - leader)
                + "/postgres?targetServerType=primary&hostRecheckSeconds=1&connectTimeout=2&sslResponseTimeout=2000"
                + "&socketTimeout=" + TTL;
    }

    @Override
    public void close() {
        for (int i = 0; i < NODES; i++) {
            kill(i);
        }
        if (etcd != null) {
            etcd.destroyForcibly().onExit().join();
        }
    }
}
