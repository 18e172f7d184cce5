package org.tasktube.simulation;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

/** Runs histories on one database, one after the other. Called by reflection, in the class loader of the simulated. */
public final class Simulation {

    private static final int SERVERS = 3;

    private final HikariDataSource database = TestDatabase.connect("jdbc:h2:mem:simulation;LOCK_TIMEOUT=1", "sa");
    private final List<SimulatedServer> servers = new ArrayList<>();
    private Scheduler last;
    private int done;

    public Simulation() throws StoreUnavailableException, SQLException {
        SqlStores.open(database, true, () -> {}).close();
        Sql sql = new Sql(database);
        sql.execute("DROP ALIAS tasktube_now");
        sql.execute("CREATE ALIAS tasktube_now FOR '" + VirtualTime.class.getName() + ".now'");
        for (int i = 0; i < SERVERS; i++) {
            servers.add(new SimulatedServer("server-" + i, database));
        }
    }

    /**
     * Runs a history. Returns what was wrong, and the smallest plan in which something is wrong; empty if nothing was.
     */
    public String run(long seed) throws SQLException {
        Plan plan = Plan.of(seed, SERVERS, History.WORK);
        List<String> wrong = run(plan);
        if (wrong.isEmpty()) {
            return "";
        }
        String first = String.join("\n", wrong);
        List<String> notes = last.notes();
        boolean shrinks = true;
        while (shrinks) {
            shrinks = false;
            for (Plan smaller : plan.smaller()) {
                List<String> stillWrong = run(smaller);
                if (!stillWrong.isEmpty()) {
                    plan = smaller;
                    wrong = stillWrong;
                    notes = last.notes();
                    shrinks = true;
                    break;
                }
            }
        }
        return first + "\nmade smaller:\n" + plan + "\n" + String.join("\n", wrong) + "\n" + String.join("\n", notes);
    }

    private List<String> run(Plan plan) throws SQLException {
        History history = new History(database, servers, plan);
        last = history.scheduler();
        try {
            List<String> wrong = history.run();
            done = history.done();
            return wrong;
        } catch (IllegalStateException | SQLException e) {
            last.abandon();
            return List.of(e + " " + e.getCause());
        }
    }

    /** Returns how often an actor went on in the last history. */
    public int steps() {
        return last.steps();
    }

    /** Returns how many tasks were put and acked in the last history. */
    public int done() {
        return done;
    }

    /** Returns a number that is the same if the last history was. */
    public long choices() {
        return last.choices();
    }
}
