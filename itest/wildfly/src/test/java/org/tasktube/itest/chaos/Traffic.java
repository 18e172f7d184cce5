package org.tasktube.itest.chaos;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tasktube.admin.OperationAct;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.lanes.Lane;

/** Those who put and take from outside, and what they were told. */
final class Traffic {

    private static final int MOST = 8;
    private static final int MANY = 100;
    private static final int TAKERS = 2;
    private static final long ENOUGH_WITHOUT_A_BEAN = 50;
    private static final long ENOUGH_READY = 2_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(8);
    private static final Duration UNTIL_ALL_IS_DONE = Duration.ofMinutes(3);
    private static final String COMMITTED = "committed ";
    private static final Pattern HELD = Pattern.compile("([0-9a-f-]{36}) (\\d+)");

    private final Cluster cluster;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();
    private final Map<Lane, AtomicLong> numbers = new EnumMap<>(Lane.class);
    private final Map<Lane, BitSet> committed = new EnumMap<>(Lane.class);
    private final Map<Lane, BitSet> rolledBack = new EnumMap<>(Lane.class);
    private final List<Thread> producers = new ArrayList<>();
    private final List<Thread> takers = new ArrayList<>();
    private final Queue<String> gone = new ConcurrentLinkedQueue<>();
    private volatile int longestPause = 40;
    private volatile boolean producing = true;
    private volatile boolean taking = true;

    Traffic(Cluster cluster) {
        this.cluster = cluster;
        for (Lane lane : Lane.values()) {
            numbers.put(lane, new AtomicLong());
            committed.put(lane, new BitSet());
            rolledBack.put(lane, new BitSet());
        }
    }

    /** Makes the tubes, begins, and returns when both servers work. */
    void start() {
        Eventually.holds(() -> ask(0, "create?").equals("RUNNING"), "there are tubes");
        startThreads();
        cluster.awaitWork(Instant.now());
    }

    /** Leaves most of the processor to others. */
    void slowDown() {
        longestPause = 400;
    }

    private void startThreads() {
        producers.add(started("operator", this::operate));
        for (Lane lane : Lane.values()) {
            if (lane != Lane.NEXT) {
                producers.add(started("producer " + lane, () -> produce(lane)));
            }
            for (int i = 0; !lane.hasBean() && i < TAKERS; i++) {
                takers.add(started("taker " + lane, () -> take(lane)));
            }
        }
    }

    /** Puts more than the beans can take at once, buries what is ready, and retries it, again and again. */
    private void operate() {
        while (producing) {
            put(Lane.TTR, MANY);
            ask("act", Lane.TTR, "&act=" + OperationAct.BURY);
            pause(1_000);
            ask("act", Lane.TTR, "&act=" + OperationAct.RETRY);
            pause(2_000);
        }
    }

    private static Thread started(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void produce(Lane lane) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        while (producing) {
            Optional<Long> ready = put(lane, 1 + random.nextInt(MOST));
            long enough = lane.hasBean() ? ENOUGH_READY : ENOUGH_WITHOUT_A_BEAN;
            if (ready.isEmpty()) {
                pause(100);
            } else if (ready.get() > enough) {
                // The more wait, the longer, so that all can be worked off in the end
                pause((int) Math.min(500 * ready.get() / enough, 10_000));
            } else {
                pause(random.nextInt(longestPause));
            }
        }
    }

    /** Puts tasks. Returns how many wait after that, if the server says so. */
    Optional<Long> put(Lane lane, int count) {
        long from = numbers.get(lane).getAndAdd(count);
        String sub = lane.isOrdered() ? "sub-" + from % lane.subQueues() : "";
        String answer = ask("put", lane, "&from=" + from + "&count=" + count + "&sub=" + sub);
        if (answer.startsWith(COMMITTED)) {
            note(committed.get(lane), from, count);
            return Optional.of(Long.parseLong(answer.substring(COMMITTED.length())));
        }
        if (answer.equals("rolled back")) {
            note(rolledBack.get(lane), from, count);
        }
        return Optional.empty();
    }

    private static void note(BitSet numbers, long from, int count) {
        synchronized (numbers) {
            numbers.set((int) from, (int) from + count);
        }
    }

    private void take(Lane lane) {
        while (taking) {
            int server = anyServer();
            long begun = System.nanoTime();
            String answer = ask(server, "take?lane=" + lane);
            if (lane == Lane.SESSION) {
                answer = ackElsewhere(server, answer, begun);
            } else if (lane == Lane.RESULT) {
                findElsewhere(server, answer, begun);
            }
            if (!answer.startsWith(COMMITTED)) {
                pause(100);
            }
        }
    }

    /** Acks what a session holds, which has no connection any more, on the other server. */
    private String ackElsewhere(int server, String held, long begun) {
        Matcher match = HELD.matcher(held);
        if (!match.matches()) {
            return held;
        }
        pause(ThreadLocalRandom.current().nextInt(200));
        String which = "&session=" + match.group(1) + "&task=" + match.group(2);
        String answer = ask(1 - server, "ack?lane=" + Lane.SESSION + which);
        noteGone(answer, begun, "session of task " + match.group(2));
        return answer;
    }

    /** Looks on the other server for the result of an ack that has committed. */
    private void findElsewhere(int server, String acked, long begun) {
        if (acked.matches(COMMITTED + "\\d+")) {
            String task = acked.substring(COMMITTED.length());
            noteGone(ask(1 - server, "result?lane=" + Lane.RESULT + "&task=" + task), begun, "result of task " + task);
        }
    }

    private void noteGone(String answer, long begun, String what) {
        if (answer.equals(Lane.GONE) && System.nanoTime() - begun < Lane.KEPT.toNanos()) {
            gone.add(what + " at " + Instant.now());
        }
    }

    /** Asks any server, and returns its answer or what went wrong. */
    String ask(String what, Lane lane, String parameters) {
        return ask(anyServer(), what + "?lane=" + lane + parameters);
    }

    private static int anyServer() {
        return ThreadLocalRandom.current().nextInt(Cluster.SERVERS);
    }

    String ask(int server, String question) {
        URI uri = cluster.server(server).http("/lanes/" + question);
        try {
            HttpResponse<String> answer =
                    http.send(HttpRequest.newBuilder(uri).timeout(TIMEOUT).build(), BodyHandlers.ofString());
            return answer.body();
        } catch (IOException e) {
            return e.toString();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e.toString();
        }
    }

    void act(Lane lane, OperationAct act) {
        Eventually.holds(
                () -> ask("act", lane, "&act=" + act).matches("nothing|operation .*"),
                () -> act + " begins on " + lane);
    }

    void resume(Lane lane) {
        Eventually.holds(() -> ask("resume", lane, "").matches("true|false"), () -> lane + " is resumed");
    }

    /** Puts no more, and returns when all is done and the servers have ended. */
    void drain() throws InterruptedException {
        stopProducers();
        for (Lane lane : Lane.values()) {
            resume(lane);
        }
        Eventually.holds(
                UNTIL_ALL_IS_DONE,
                () -> {
                    if (cluster.number("SELECT count(*) FROM tasktube_task WHERE state = '!'") > 0) {
                        act(Lane.TTR, OperationAct.RETRY);
                    }
                    return cluster.number("SELECT count(*) FROM tasktube_task") == 0
                            && cluster.number("SELECT count(*) FROM tasktube_operation WHERE state IN ('w', 'r')") == 0;
                },
                () -> "all is done; left: " + left());
        stop();
        // A standby may have lost that a server has left a session; a server looks for that each minute
        Eventually.holds(
                UNTIL_ALL_IS_DONE,
                () -> cluster.number("SELECT count(*) FROM tasktube_session WHERE kept_ms > 0") == 0,
                () -> "sessions that have a time are over");
        // With the adapter go the connections that the application has leaked
        cluster.servers().forEach(WildFly::terminate);
    }

    private String left() {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT string_agg(line, ', ') FROM (SELECT t.name || ' ' || state"
                                + " || ' ' || count(*) AS line FROM tasktube_task k JOIN tasktube_tube t ON t.id = k.tube_id"
                                + " GROUP BY t.name, state) l")) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void stopProducers() throws InterruptedException {
        producing = false;
        join(producers);
    }

    private void stop() throws InterruptedException {
        producing = false;
        taking = false;
        join(producers);
        join(takers);
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Returns the sessions and results that were gone before their time. */
    Collection<String> gone() {
        return gone;
    }

    /** Returns the numbers of the puts that were answered as committed. */
    BitSet committed(Lane lane) {
        return committed.get(lane);
    }

    /** Returns the numbers of the puts that were rolled back by the application. */
    BitSet rolledBack(Lane lane) {
        return rolledBack.get(lane);
    }

    private static void pause(int millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
