package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.History;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TubeChange;
import org.tasktube.itest.watchdog.FullRun;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Tasks that wait for others, while many threads of three servers work, and servers are killed. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class AfterTest {

    private static final int SERVERS = 3;
    private static final int THREADS = 9;
    private static final int GRAPHS = FullRun.size(10, 400);
    private static final int GRAPH = 25;
    private static final int KILLS = FullRun.size(2, 20);

    private final String name = RunningNode.newName();
    private final List<RunningNode> servers = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HikariDataSource database;
    private AgroalDataSource pool;

    @BeforeEach
    void start() {
        database = TestDatabase.POSTGRESQL.create();
        pool = Jta.pool(database);
        for (int i = 0; i < SERVERS; i++) {
            servers.add(server("server-" + i));
        }
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        servers.forEach(RunningNode::close);
        pool.close();
        database.close();
    }

    private RunningNode server(String server) {
        return new RunningNode(
                pool,
                Jta.TRANSACTIONS,
                new Settings(server, 1 << 20, Duration.ofMillis(100), Duration.ofSeconds(1), Duration.ZERO));
    }

    private RunningNode any() {
        return servers.get(ThreadLocalRandom.current().nextInt(servers.size()));
    }

    private Tube tube(RunningNode server) {
        return server.node().tube(new ClientConnection(), name);
    }

    private long count(String what) {
        try {
            return new Sql(database).number("SELECT count(*) FROM " + what);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Puts tasks of which each is after or before some others, in one transaction. Returns the parents of each. */
    private Map<Long, Set<Long>> graph(Tube tube, Random random) throws Exception {
        Map<Long, Set<Long>> parents = new ConcurrentHashMap<>();
        List<Task> tasks = new ArrayList<>();
        Jta.MANAGER.begin();
        for (int i = 0; i < GRAPH; i++) {
            Set<Task> others = new HashSet<>();
            for (int j = random.nextInt(4); j > 0 && !tasks.isEmpty(); j--) {
                others.add(tasks.get(random.nextInt(tasks.size())));
            }
            boolean isBefore = random.nextInt(3) == 0;
            PutOptions options = PutOptions.defaults();
            for (Task other : others) {
                options = isBefore ? options.before(other) : options.after(other);
            }
            Task task = tube.put("a", options);
            tasks.add(task);
            Set<Long> ids = others.stream().map(Task::id).collect(Collectors.toSet());
            parents.put(task.id(), isBefore ? ConcurrentHashMap.newKeySet() : ids);
            if (isBefore) {
                ids.forEach(child -> parents.get(child).add(task.id()));
            }
        }
        Jta.MANAGER.commit();
        return parents;
    }

    private void work(Map<Long, Set<Long>> parents, Collection<String> wrong) {
        while (count("tasktube_task") > 0) {
            try {
                Tube tube = tube(any());
                for (Task task : tube.take(3, Duration.ofMillis(50))) {
                    String ids =
                            parents.get(task.id()).stream().map(String::valueOf).collect(Collectors.joining(","));
                    if (!ids.isEmpty() && count("tasktube_task WHERE id IN (" + ids + ")") > 0) {
                        wrong.add(task.id() + " before one of " + ids);
                    }
                    tube.ack(task);
                }
            } catch (TaskTubeException | NoSuchElementException e) {
                // The server was killed, and another one has released its task
            }
        }
    }

    /** The server stays without its threads: what it has not done is found by others. */
    private void kill(int number) {
        RunningNode victim = servers.get(1 + number % (SERVERS - 1));
        servers.remove(victim);
        victim.kill();
        servers.add(server("again-" + number));
    }

    @Test
    @Tag("full")
    void each_task_is_ready_once_after_its_last_parent_whatever_is_killed() throws Exception {
        Tube tube = servers.get(0).node().createTube(new ClientConnection(), TubeDefinition.fifo(name));
        servers.get(0).node().admin(new ClientConnection()).changeTube(name, TubeChange.NONE.history(History.ALL));
        Random random = new Random();
        Map<Long, Set<Long>> parents = new ConcurrentHashMap<>();
        for (int i = 0; i < GRAPHS; i++) {
            parents.putAll(graph(tube, random));
        }
        Set<String> wrong = ConcurrentHashMap.newKeySet();
        List<CompletableFuture<Void>> workers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            workers.add(CompletableFuture.runAsync(() -> work(parents, wrong), threads));
        }
        for (int i = 0; i < KILLS; i++) {
            Eventually.holds(() -> count("tasktube_task WHERE state = 't'") > 0 || count("tasktube_task") == 0, "work");
            kill(i);
        }
        // A worker may use a server that was killed, and whose ack has nobody who looks for what follows
        CompletableFuture<Void> all = CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new));
        while (!all.isDone()) {
            lookAtAll();
            await(all);
        }
        all.join();
        assertThat(wrong).isEmpty();
        long children =
                parents.values().stream().filter(each -> !each.isEmpty()).count();
        assertThat(count("(SELECT task_id FROM tasktube_history WHERE event = 'DELAY_OVER') e"))
                .isEqualTo(children);
        assertThat(count("(SELECT DISTINCT task_id FROM tasktube_history WHERE event = 'DELAY_OVER') e"))
                .isEqualTo(children);
        Eventually.holds(
                () -> {
                    lookAtAll();
                    return count("tasktube_after") == 0;
                },
                "no row of a task that is gone is left");
    }

    private static void await(CompletableFuture<Void> all) throws Exception {
        try {
            all.get(200, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // The caller looks again
        }
    }

    private void lookAtAll() {
        servers.forEach(server -> server.node().ordering().gone());
    }

    @Test
    void parents_that_two_servers_delete_at_once_let_the_child_go() throws Exception {
        Tube tube = servers.get(0).node().createTube(new ClientConnection(), TubeDefinition.fifo(name));
        Tube there = tube(servers.get(1));
        for (int i = 0; i < FullRun.size(20, 200); i++) {
            List<Task> tasks = new ArrayList<>();
            Jta.MANAGER.begin();
            tasks.add(tube.put("a"));
            tasks.add(tube.put("b"));
            tasks.add(tube.put("child", PutOptions.defaults().afterAny(tasks)));
            Jta.MANAGER.commit();
            CompletableFuture<Void> one =
                    CompletableFuture.runAsync(() -> tube.delete(tasks.get(0).id()), threads);
            CompletableFuture<Void> two =
                    CompletableFuture.runAsync(() -> there.delete(tasks.get(1).id()), threads);
            CompletableFuture.allOf(one, two).get(60, TimeUnit.SECONDS);
            tube.ack(tube.take(Duration.ofSeconds(50)).orElseThrow());
        }
    }

    @Test
    void a_child_that_another_transaction_has_locked_holds_up_no_other() throws Exception {
        Tube tube = servers.get(0).node().createTube(new ClientConnection(), TubeDefinition.fifo(name));
        List<Task> tasks = new ArrayList<>();
        Jta.MANAGER.begin();
        for (int i = 0; i < 2; i++) {
            Task parent = tube.put("parent " + i);
            tasks.add(tube.put("child " + i, PutOptions.defaults().after(parent)));
        }
        Jta.MANAGER.commit();
        Task first = tube.take(Duration.ZERO).orElseThrow();
        Task second = tube.take(Duration.ZERO).orElseThrow();
        try (Connection open = database.getConnection();
                Statement statement = open.createStatement()) {
            open.setAutoCommit(false);
            statement.execute(
                    "SELECT * FROM tasktube_task WHERE id = " + tasks.get(0).id() + " FOR UPDATE");
            tube.ack(first);
            tube.ack(second);
            Task next = tube.take(Duration.ofSeconds(50)).orElseThrow();
            assertThat(next.id()).isEqualTo(tasks.get(1).id());
            open.rollback();
        }
        assertThat(tube.take(Duration.ofSeconds(50)).map(Task::id))
                .contains(tasks.get(0).id());
    }

    @Test
    void a_parent_that_a_bean_has_not_begun_is_returned() throws Exception {
        Tube tube = servers.get(0).node().createTube(new ClientConnection(), TubeDefinition.fifo(name));
        Jta.MANAGER.begin();
        tube.put("child", PutOptions.defaults().after(tube.put("parent")));
        Jta.MANAGER.commit();
        ClientConnection bean = new ClientConnection();
        Task parent = servers.get(0).node().tube(bean, name).take(Duration.ZERO).orElseThrow();
        servers.get(0).node().find(name).orElseThrow().held().returnUnstarted(bean.session(), List.of(parent));
        assertThat(tube.take(Duration.ZERO).map(Task::id)).contains(parent.id());
    }

    /** The acks of members of a group, by many threads, against those of plain tasks. */
    @Test
    @Tag("full")
    void acks_of_a_large_group_are_hardly_more_commits_than_plain_acks() throws Exception {
        Tube tube = servers.get(0).node().createTube(new ClientConnection(), TubeDefinition.fifo(name));
        int members = 10_000;
        Jta.MANAGER.begin();
        tube.putAll(Collections.nCopies(members, "a"), PutOptions.defaults());
        Jta.MANAGER.commit();
        long plain = transactionsOfAcks(tube, members);
        Jta.MANAGER.begin();
        Task child = tube.put("child");
        tube.putAll(Collections.nCopies(members, "a"), PutOptions.defaults().before(child));
        Jta.MANAGER.commit();
        long grouped = transactionsOfAcks(tube, members);
        assertThat(tube.take(Duration.ofSeconds(60)).map(Task::text)).contains("child");
        System.out.printf("%d transactions that write of %d plain acks, %d of a group%n", plain, members, grouped);
        assertThat(grouped).isLessThan(plain * 13 / 10);
    }

    private long transactionsOfAcks(Tube tube, int tasks) throws Exception {
        List<Task> taken = new ArrayList<>();
        while (taken.size() < tasks) {
            taken.addAll(tube.take(500, Duration.ofSeconds(60)));
        }
        long before = transaction();
        List<CompletableFuture<Void>> acks = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            List<Task> mine = taken.subList(i * tasks / 16, (i + 1) * tasks / 16);
            acks.add(CompletableFuture.runAsync(() -> mine.forEach(tube::ack), threads));
        }
        for (CompletableFuture<Void> ack : acks) {
            ack.get(10, TimeUnit.MINUTES);
        }
        return transaction() - before;
    }

    private long transaction() throws SQLException {
        return new Sql(database).number("SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)");
    }
}
