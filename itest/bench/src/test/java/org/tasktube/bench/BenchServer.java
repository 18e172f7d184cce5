package org.tasktube.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.tasktube.History;
import org.tasktube.bench.app.Side;
import org.tasktube.itest.kit.ConsoleUser;
import org.tasktube.itest.kit.Datasource;
import org.tasktube.itest.kit.EventStream;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.ServerHome;
import org.tasktube.itest.kit.ServerOptions;
import org.tasktube.itest.kit.TaskTubeZip;
import org.tasktube.itest.kit.WildFly;

/** A WildFly with TaskTube as its scripts configure it, the bench application, and a PostgreSQL. */
final class BenchServer implements AutoCloseable {

    /** Put, take and ack. */
    private static final int MOVES = 3;

    private static final int PORT_OFFSET = 10_000;
    private static final String WAR = "bench.war";

    /** Artemis as WildFly's standalone-full.xml has it, but that it keeps all messages in memory, too: no paging. */
    private static final String[] ARTEMIS = {
        "/extension=org.wildfly.extension.messaging-activemq:add",
        "/subsystem=messaging-activemq:add",
        "/subsystem=messaging-activemq/server=default:add(security-enabled=false)",
        "/subsystem=messaging-activemq/server=default/address-setting=#:add(max-size-bytes=-1)",
        "/subsystem=messaging-activemq/server=default/in-vm-acceptor=in-vm:add(server-id=0)",
        "/subsystem=messaging-activemq/server=default/in-vm-connector=in-vm:add(server-id=0)",
        "/subsystem=messaging-activemq/server=default/pooled-connection-factory=activemq-ra:add(entries=[java:/JmsXA],connectors=[in-vm],transaction=xa)",
        "/subsystem=messaging-activemq/server=default/jms-queue=bench:add(entries=[java:/jms/queue/bench])"
    };

    private static final double NANOS = 1e9;
    private static final int COLLECTIONS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Postgres postgres;
    private final WildFly wildfly;
    private final BenchDatabase database;
    private final ConsoleUser viewer = ConsoleUser.random("bench");
    // by HTTP/2 the server ends a connection on which it is asked nothing for a minute, answer or not
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private BenchServer(Postgres postgres, WildFly wildfly) {
        this.postgres = postgres;
        this.wildfly = wildfly;
        this.database = new BenchDatabase(postgres);
    }

    /** Sets all up below a directory and returns when the application has its tubes. */
    static BenchServer start(Path directory, Path war) throws IOException, InterruptedException {
        Postgres postgres = new Postgres(
                ServerHome.cleared(directory.resolve("data")),
                Map.of("shared_buffers", "512MB", "shared_preload_libraries", "pg_stat_statements"));
        postgres.start();
        WildFly wildfly = new WildFly(
                ServerHome.unpack(directory.resolve("wildfly")),
                ServerOptions.defaults().portOffset(PORT_OFFSET));
        BenchServer server = new BenchServer(postgres, wildfly);
        try {
            server.configure(directory);
            wildfly.start();
            wildfly.deploy(WAR, war);
            server.viewer.addTo(wildfly, "tasktube-viewer");
            server.post("open");
            return server;
        } catch (IOException | InterruptedException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private void configure(Path directory) {
        Datasource datasource = Datasource.of("BenchDS", postgres);
        wildfly.add(datasource);
        TaskTubeZip.configure(
                wildfly,
                directory,
                Map.of(
                        "tasktube.datasource", datasource.name(),
                        "tasktube.datasource.jndi", datasource.jndiName()));
        wildfly.cli(ARTEMIS);
    }

    BenchDatabase database() {
        return database;
    }

    /** What the server and the database have done so far. */
    Effort effort() {
        return new Effort(
                ProcessHandle.of(wildfly.pid())
                        .flatMap(server -> server.info().totalCpuDuration())
                        .orElse(Duration.ZERO),
                postgres.processorTime(),
                database.log(),
                database.commits(),
                database.syncs());
    }

    /** Puts so many and says how many a second. */
    double put(Side side, int tasks) throws IOException, InterruptedException {
        return tasks * NANOS / Long.parseLong(post("put?side=" + side + "&tasks=" + tasks));
    }

    /** Has all that waits, so many, worked off and says how many a second. */
    double drain(Side side, int tasks) throws IOException, InterruptedException {
        double rate = drainSome(side, tasks);
        database.checkEmpty(side);
        return rate;
    }

    /** As {@link #drain} where more may wait. */
    double drainSome(Side side, int tasks) throws IOException, InterruptedException {
        post("expect?tasks=" + tasks);
        startDelivery(side);
        double rate = tasks * NANOS / Long.parseLong(post("await"));
        stopDelivery(side);
        return rate;
    }

    /** Puts so many while they are worked off and says how many a second. */
    double flow(Side side, int tasks) throws IOException, InterruptedException {
        post("expect?tasks=" + tasks);
        startDelivery(side);
        post("put?side=" + side + "&tasks=" + tasks);
        double rate = tasks * NANOS / Long.parseLong(post("await"));
        stopDelivery(side);
        database.checkEmpty(side);
        return rate;
    }

    /** Puts so many and has them worked off, with an addition, and says how many a second. */
    double putAndDrain(Extra extra, int tasks) throws IOException, InterruptedException {
        return switch (extra) {
            case NONE -> putAndDrain(tasks, 0);
            case HISTORY -> withHistory(tasks);
            case CONSOLE -> withConsole(tasks);
        };
    }

    private double withHistory(int tasks) throws IOException, InterruptedException {
        post("history?of=" + History.ALL);
        try {
            return putAndDrain(tasks, (long) MOVES * tasks);
        } finally {
            // What is measured next has none
            post("history?of=" + History.OFF);
        }
    }

    private double withConsole(int tasks) throws IOException, InterruptedException {
        try (EventStream console = new EventStream(wildfly.console("api/v1/events"), viewer)) {
            if (console.next(PATIENCE).isEmpty()) {
                throw new IllegalStateException("The console answered " + console.status() + " and sent no event");
            }
            return putAndDrain(tasks, 0);
        }
    }

    private double putAndDrain(int tasks, long moves) throws IOException, InterruptedException {
        double rate = 1 / (1 / put(Side.TASKTUBE, tasks) + 1 / drain(Side.TASKTUBE, tasks));
        database.checkHistory(moves);
        return rate;
    }

    /** In milliseconds: one half was slower than the median, one in a hundred slower than slow. */
    record Latency(double median, double slow) {}

    /** Puts so many, one by one, and says how long it took from put's return until a bean began. */
    Latency latency(Side side, int tasks) throws IOException, InterruptedException {
        startDelivery(side);
        String answer = post("latencies?side=" + side + "&tasks=" + tasks);
        stopDelivery(side);
        return latency(answer);
    }

    /** Takes and acks so many of a tube in batches and says how many a second. */
    double workOff(String tube, int batch, int tasks) throws IOException, InterruptedException {
        return tasks * NANOS / Long.parseLong(post("work-off?tube=" + tube + "&batch=" + batch + "&tasks=" + tasks));
    }

    /** How long takes of one last in a tube without sub-queues. */
    Latency takes(int tasks) throws IOException, InterruptedException {
        return latency(post("takes?tasks=" + tasks));
    }

    /** How long they last in a tube with sub-queues, whose first tasks are all held during that. */
    Latency takesBehindBusy(int tasks) throws IOException, InterruptedException {
        return latency(post("takes-behind-busy?tasks=" + tasks));
    }

    private static Latency latency(String answer) {
        String[] nanos = answer.split(" ", 2);
        return new Latency(Long.parseLong(nanos[0]) / 1e6, Long.parseLong(nanos[1]) / 1e6);
    }

    private void startDelivery(Side side) throws IOException, InterruptedException {
        if (side.bean().isEmpty()) {
            post("start-jdbc?side=" + side);
        } else {
            startDelivery(side.bean());
        }
    }

    private void stopDelivery(Side side) throws IOException, InterruptedException {
        if (side.bean().isEmpty()) {
            post("stop-jdbc?side=" + side);
        } else {
            stopDelivery(side.bean());
        }
    }

    void startDelivery(String bean) {
        control(bean, "start-delivery");
    }

    void stopDelivery(String bean) {
        control(bean, "stop-delivery");
    }

    private void control(String bean, String operation) {
        wildfly.execute(
                WildFly.operation(operation, "deployment", WAR, "subsystem", "ejb3", "message-driven-bean", bean));
    }

    /** The bytes of the heap in use, after collections. */
    long heap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            wildfly.execute(WildFly.operation("gc", "core-service", "platform-mbean", "type", "memory"));
            least = Math.min(
                    least,
                    wildfly.read("heap-memory-usage", "core-service", "platform-mbean", "type", "memory")
                            .get("used")
                            .asLong());
        }
        return least;
    }

    private String post(String what) throws IOException, InterruptedException {
        URI address = wildfly.http("/bench/" + what);
        HttpRequest request = HttpRequest.newBuilder(address)
                .POST(HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofMinutes(10))
                .build();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IllegalStateException(address + " answered " + response.statusCode() + "; see "
                    + wildfly.log().file());
        }
        return response.body();
    }

    @Override
    public void close() {
        wildfly.close();
        database.close();
        postgres.close();
    }
}
