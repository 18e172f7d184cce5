package org.tasktube.simulation;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.tasktube.Task;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.simulation.Plan.Blow;
import org.tasktube.testing.Sql;

/** One run of three servers, their callers and what befalls them, by a plan. */
final class History {

    static final String SUB_QUEUES = "sub";

    /** The tube that nobody puts to, so that a take from it waits for its whole time. */
    static final String IDLE = "idle";

    private static final String CALLER = " caller ";

    /** The time in which callers work and blows fall. */
    static final Duration WORK = Duration.ofSeconds(20);

    /** Until all servers run again. */
    private static final Duration RETURN = Duration.ofMinutes(1);

    /** Until each deadline is kept, also of a timer that was lost. */
    private static final Duration DEADLINES = Duration.ofSeconds(15);

    /** Until servers no longer look for tasks without a holder at each heartbeat, which makes up for other faults. */
    private static final Duration SUSPICION = Duration.ofMinutes(1);

    /** Until nothing is left: a task without a holder is found within a minute. */
    private static final Duration REST = Duration.ofSeconds(150);

    /** A task is READY so long only if the waiting take of the same server was not woken. */
    private static final Duration READY = Duration.ofSeconds(2);

    /** A task is TAKEN so long, when nobody works long, only if nobody holds it: sessions stay for five seconds. */
    private static final Duration TAKEN = Duration.ofSeconds(10);

    /** While takes wait, others come and go. */
    private static final int VISITS = 40;

    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final int CAPACITY = 5;

    private static final String OVERDUE =
            "SELECT count(*) FROM tasktube_task WHERE state IN ('t', '~') AND event_at < tasktube_now()"
                    + " - INTERVAL '8' SECOND";
    private static final String TWO_OF_A_SUB_QUEUE = "SELECT count(*) FROM (SELECT 1 FROM tasktube_task k"
            + " JOIN tasktube_tube t ON t.id = k.tube_id WHERE t.name LIKE '" + SUB_QUEUES
            + "%' AND state = 't' GROUP BY utube HAVING count(*) > 1) two";
    private static final String TOO_MANY = "SELECT count(*) FROM (SELECT 1 FROM tasktube_task k JOIN tasktube_tube t"
            + " ON t.id = k.tube_id WHERE t.name LIKE 'limited%' GROUP BY t.id HAVING count(*) > " + CAPACITY
            + ") many";
    private static final String READY_TASKS = "SELECT id FROM tasktube_task WHERE state = 'r' AND tube_id NOT IN"
            + " (SELECT tube_id FROM tasktube_task WHERE state = 't')";

    private final Sql sql;
    private final List<SimulatedServer> servers;
    private final Plan plan;
    private final Scheduler scheduler;
    private final Book book = new Book();
    private final List<String> tubes = new ArrayList<>();
    private final Map<SimulatedServer, List<Runnable>> leaked = new HashMap<>();
    private final List<UUID> sessions = new ArrayList<>();
    private final Map<UUID, Task> leftBySessions = new HashMap<>();
    private boolean working = true;
    private int visitors;

    History(HikariDataSource database, List<SimulatedServer> servers, Plan plan) {
        this.sql = new Sql(database);
        this.servers = servers;
        this.plan = plan;
        this.scheduler = new Scheduler(plan.seed());
    }

    Scheduler scheduler() {
        return scheduler;
    }

    boolean isWorking() {
        return working;
    }

    List<String> tubes() {
        return tubes;
    }

    /** Returns the sessions that any caller may join. */
    List<UUID> sessions() {
        return sessions;
    }

    /** Leaves a task to others who join its session. */
    void leaves(UUID session, Task task) {
        leftBySessions.put(session, task);
    }

    Optional<Task> leftBy(UUID session) {
        return Optional.ofNullable(leftBySessions.remove(session));
    }

    /** Remembers how to close what was leaked on a server. */
    void leaks(SimulatedServer server, Runnable close) {
        leaked.computeIfAbsent(server, key -> new ArrayList<>()).add(close);
    }

    /** Returns how many tasks were put and acked. */
    int done() {
        return book.done();
    }

    /** Returns what is wrong in the end; empty if nothing is. */
    List<String> run() throws SQLException {
        for (String table : List.of("task", "tube", "session", "node", "slot", "dirty", "parked")) {
            sql.execute("DELETE FROM tasktube_" + table);
        }
        servers.forEach(server -> server.start(scheduler));
        scheduler.run(LOOK);
        createTubes();
        servers.forEach(this::startCallers);
        scheduler.start("fate", "fate", () -> plan.blows().forEach(this::befall));
        work();
        working = false;
        // What fails from now on is made up for by nobody who puts or takes
        scheduler.run(LOOK);
        servers.forEach(SimulatedServer::calm);
        scheduler.note("calm");
        if (!within(RETURN, LOOK, () -> servers.stream().allMatch(SimulatedServer::isRunning))) {
            servers.forEach(
                    server -> book.wrong(server.group() + " is " + server.node().state()));
        }
        scheduler.run(DEADLINES);
        none(OVERDUE, "tasks are TAKEN or DELAYED beyond their time");
        tubes.forEach(this::checkHolders);
        checkEnded(CALLER);
        scheduler.run(SUSPICION);
        rest();
        end();
        return book.wrong();
    }

    private void createTubes() {
        String suffix = "-" + Long.toHexString(plan.seed());
        for (TubeDefinition definition : List.of(
                TubeDefinition.fifottl("ttr" + suffix).ttr(Duration.ofSeconds(4)),
                TubeDefinition.fifottl("plain" + suffix),
                TubeDefinition.utubettl(SUB_QUEUES + suffix),
                TubeDefinition.limfifottl("limited" + suffix, CAPACITY),
                TubeDefinition.fifo(IDLE + suffix))) {
            tubes.add(definition.name());
            scheduler.start(
                    "creator", "creator", () -> servers.get(0).node().createTube(new ClientConnection(), definition));
        }
        scheduler.run(LOOK);
    }

    private void startCallers(SimulatedServer server) {
        for (int i = 0; i < plan.callers(); i++) {
            String name = server.group() + CALLER + i;
            scheduler.start(name, server.group(), () -> new Caller(this, server, scheduler, book).works());
        }
    }

    private void work() throws SQLException {
        long end = scheduler.now() + WORK.toNanos();
        while (scheduler.now() < end) {
            scheduler.run(LOOK);
            none(TWO_OF_A_SUB_QUEUE, "sub-queues have two that are TAKEN");
            none(TOO_MANY, "tubes have more than their capacity");
        }
    }

    private void none(String query, String what) throws SQLException {
        long found = sql.number(query);
        if (found > 0) {
            book.wrong(found + " " + what + ", after " + scheduler.now());
        }
    }

    private boolean within(Duration time, Duration look, BooleanSupplier wanted) {
        long end = scheduler.now() + time.toNanos();
        while (!wanted.getAsBoolean()) {
            if (scheduler.now() >= end) {
                return false;
            }
            scheduler.run(look);
        }
        return true;
    }

    // What befalls them

    private void befall(Blow blow) {
        scheduler.sleep(blow.after());
        if (!working) {
            return;
        }
        scheduler.note(blow.toString());
        SimulatedServer server = servers.get(blow.server());
        switch (blow.fate()) {
            case TROUBLE -> {
                server.trouble(blow.share());
                later(blow.time(), () -> server.trouble(0));
            }
            case CUT -> cut(server, blow.time());
            case DATABASE_AWAY -> servers.forEach(each -> cut(each, blow.time().dividedBy(4)));
            case FREEZE -> scheduler.freeze(server.group(), blow.time());
            case KILL -> kill(server, blow.time());
            case CLOCK_STEP ->
                scheduler.clock(server.group(), blow.time().multipliedBy(blow.share() < 1.0 / 8 ? 3_600 : -3_600));
            case UNDEPLOY -> undeploy(server);
        }
    }

    private void cut(SimulatedServer server, Duration time) {
        server.cut(true);
        later(time, () -> server.cut(false));
    }

    private void kill(SimulatedServer server, Duration time) {
        try {
            server.kill();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        leaked.remove(server);
        // The next blow finds a server
        scheduler.sleep(time.dividedBy(4));
        server.startAgain();
        startCallers(server);
    }

    private void undeploy(SimulatedServer server) {
        List<Runnable> here = leaked.remove(server);
        if (here != null) {
            here.forEach(close -> scheduler.start("undeployer", server.group(), () -> {
                try {
                    close.run();
                } catch (InternalError e) {
                    // As a caller's: the call has failed
                    scheduler.note(e.getMessage());
                }
            }));
        }
    }

    private void later(Duration time, Runnable work) {
        scheduler.start("mender", "mender", () -> {
            scheduler.sleep(time);
            work.run();
        });
    }

    // In the end

    /** All that is left can be taken on any server, and each take that waits is woken. */
    private void rest() throws SQLException {
        servers.forEach(this::undeploy);
        List<ClientConnection> connections = new ArrayList<>();
        for (SimulatedServer server : servers) {
            for (String name : tubes) {
                ClientConnection connection = new ClientConnection();
                connections.add(connection);
                scheduler.start("drainer", server.group(), () -> drain(server, connection, name));
            }
        }
        visitors = servers.size();
        servers.forEach(server -> scheduler.start("visitor", server.group(), () -> {
            new Caller(this, server, scheduler, book).visits(VISITS);
            visitors--;
        }));
        Since ready = new Since(READY, "is READY, and no waiting take gets it");
        Since taken = new Since(TAKEN, "is TAKEN, and its session is over");
        boolean done = within(REST, READY.dividedBy(4), () -> {
            ready.look(numbers(READY_TASKS));
            taken.look(numbers("SELECT id FROM tasktube_task WHERE state = 't'"));
            return visitors == 0 && numbers("SELECT id FROM tasktube_task").isEmpty();
        });
        if (!done) {
            none("SELECT count(*) FROM tasktube_task WHERE state = 't'", "tasks are left TAKEN");
            none("SELECT count(*) FROM tasktube_task WHERE state <> 't'", "tasks are left that are not TAKEN");
        }
        for (int i = 0; i < connections.size(); i++) {
            servers.get(i / tubes.size()).node().close(connections.get(i));
        }
    }

    private void checkEnded(String part) {
        scheduler.actors(part).forEach(name -> book.wrong(name + " does not end"));
    }

    /** Each TAKEN task is one that a caller has got, and may still hold by what it has leaked. */
    private void checkHolders(String name) {
        Tube tube = servers.get(0).node().tube(new ClientConnection(), name);
        numbers("SELECT k.id FROM tasktube_task k JOIN tasktube_tube t ON t.id = k.tube_id"
                        + " WHERE state = 't' AND t.name = '" + name + "'")
                .forEach(id -> tube.peek(id)
                        .filter(book::isUnknown)
                        .ifPresent(task -> book.wrong(task.text() + " is TAKEN, and nobody knows that")));
    }

    private Set<Long> numbers(String query) {
        try {
            return new HashSet<>(sql.numbers(query));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void drain(SimulatedServer server, ClientConnection connection, String name) {
        try {
            Tube tube = server.node().tube(connection, name);
            while (true) {
                tube.take(REST.multipliedBy(2)).ifPresent(task -> {
                    scheduler.note("takes at last " + task.text());
                    book.isTaken(task, scheduler.now());
                    tube.ack(task);
                    book.isAcked(task);
                });
            }
        } catch (TaskTubeException | IllegalStateException e) {
            // Its connection is closed, as the last thing
            scheduler.note(e.getMessage());
        }
    }

    /** Tasks that are in a state for too long. */
    private final class Since {

        private final Duration most;
        private final String what;
        private final Map<Long, Long> since = new HashMap<>();
        private final Set<Long> late = new HashSet<>();

        Since(Duration most, String what) {
            this.most = most;
            this.what = what;
        }

        void look(Set<Long> now) {
            since.keySet().retainAll(now);
            now.forEach(task -> since.putIfAbsent(task, scheduler.now()));
            since.forEach((task, at) -> {
                if (scheduler.now() - at > most.toNanos() && late.add(task)) {
                    book.wrong("task " + task + " " + what);
                }
            });
        }
    }

    private void end() throws SQLException {
        servers.forEach(server -> scheduler.start("end", "end", server::end));
        scheduler.run(Duration.ofSeconds(30));
        checkEnded("");
        for (String table : List.of("task", "parked", "session")) {
            none("SELECT count(*) FROM tasktube_" + table, "rows are left in tasktube_" + table);
        }
        none("SELECT abs(count(*) - " + CAPACITY + ") FROM tasktube_slot", "slots too many or too few");
    }
}
