package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tasktube.TaskData;
import org.tasktube.TubeDefinition;
import org.tasktube.store.ClaimRange;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a task of 256 bytes costs PostgreSQL in the hot statements: bytes of its log, and pages that it visits. No noise
 * of the machine moves these figures. They are recorded here: a change that raises one needs a reason, and one that
 * lowers it records less.
 */
class CostPerTaskTest {

    private static final int TASKS = 512;
    private static final int BATCH = 64;
    private static final TaskData DATA = TaskData.of(new byte[256]);

    /** Figures of the whole statement come first, before those of its parts. */
    private static final Pattern PAGES = Pattern.compile("\"Shared Hit Blocks\": (\\d+)");

    private static final Pattern LOG = Pattern.compile("\"WAL Bytes\": (\\d+)");
    private static final Pattern ROWS = Pattern.compile("\"Actual Rows\": ([0-9.]+)");
    private static final long TOKEN = 1;

    private final Holder holder = new Holder(UUID.randomUUID(), 1);
    private final Map<String, List<Cost>> costs = new HashMap<>();
    private final Statements sql = Statements.read("postgresql.sql");

    private HikariDataSource database;
    private OpenStore open;
    private Connection connection;
    private SqlConnection on;

    @BeforeEach
    void open() throws Exception {
        database = TestDatabase.POSTGRESQL.create();
        open = SqlStores.open(database, true, () -> {});
        connection = database.getConnection();
        on = new SqlConnection(connection, new LongAdder());
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        open.close();
        database.close();
    }

    private record Cost(double log, double pages) {}

    @Test
    void a_put_a_claim_and_an_ack_cost_no_more_than_is_recorded() throws Exception {
        StoredTube tube = tube();
        for (int i = 0; i < TASKS; i++) {
            measure("put", "put", 1, Puts.parameters(tube, task()));
        }
        for (int i = 0; i < TASKS / BATCH; i++) {
            measure("claim", "claim", BATCH, claim(tube));
        }
        List<Long> ids = new Sql(database).numbers("SELECT id FROM tasktube_task WHERE state = 't' ORDER BY id");
        assertThat(ids).hasSize(TASKS);
        for (long id : ids.subList(0, TASKS / 2)) {
            measure("ack", "ack", 1, held(tube).and("id", id, "followed", false));
        }
        for (int i = TASKS / 2; i < TASKS; i += BATCH) {
            List<Long> some = ids.subList(i, i + BATCH);
            Parameters gathered = held(tube).and("ids", some, "tokens", Collections.nCopies(BATCH, TOKEN));
            measure("gathered ack", "ack_unlocked", BATCH, gathered);
        }
        assertThat(new Sql(database).number("SELECT count(*) FROM tasktube_task"))
                .isZero();
        assertCost("put", 552, 8);
        assertCost("claim", 740, 10);
        assertCost("ack", 55, 4);
        assertCost("gathered ack", 110, 2.5);
    }

    @Test
    void a_put_for_a_bean_costs_little_more_than_a_put_and_no_claim() throws Exception {
        StoredTube tube = tube();
        for (int i = 0; i < TASKS; i++) {
            measure(
                    "put for a bean",
                    "put_for",
                    1,
                    Puts.parameters(tube, task())
                            .and(Parameters.after(tube.id(), OrderKey.START, 7))
                            .and(held(tube))
                            .and("node", holder.node()));
        }
        assertThat(new Sql(database).number("SELECT count(*) FROM tasktube_task WHERE state = 't'"))
                .isEqualTo(TASKS);
        assertCost("put for a bean", 600, 10);
    }

    @Test
    void puts_of_many_cost_no_more_than_is_recorded() throws Exception {
        StoredTube tube = tube();
        List<NewTask> tasks =
                Stream.generate(CostPerTaskTest::task).limit(BATCH).toList();
        for (int i = 0; i < TASKS / BATCH; i++) {
            measure(
                    "put of many",
                    "put_many",
                    BATCH,
                    TaskColumns.of(tube, tasks, false).and(HistoryMoves.NO_PUT).and("goes_on", false));
        }
        assertThat(new Sql(database).number("SELECT count(*) FROM tasktube_task"))
                .isEqualTo(TASKS);
        assertCost("put of many", 570, 6.5);
    }

    private StoredTube tube() {
        return open.registry()
                .createTube(TubeDefinition.of("hot", TubeDefinition.FIFOTTL), false)
                .orElseThrow();
    }

    private static NewTask task() {
        return TaskToPut.of(DATA).build();
    }

    private Parameters claim(StoredTube tube) {
        ClaimRange range = ClaimRange.of(OrderKey.START, BATCH);
        return new Claim(tube, holder, TOKEN, range, null, true).parameters();
    }

    private Parameters held(StoredTube tube) {
        return Parameters.of("tube", tube.id(), "session", holder.session(), "token", TOKEN);
    }

    /** Runs a statement of the adapter's for so many tasks. */
    private void measure(String what, String name, int tasks, Parameters parameters) throws SQLException {
        NamedStatement statement = sql.get(name);
        NamedStatement explained = new NamedStatement(
                name, "EXPLAIN (ANALYZE, BUFFERS, WAL, FORMAT JSON) " + statement.text(), statement.parameters(), "");
        String plan = on.first(explained, row -> row.getString(1), parameters).orElseThrow();
        assertThat(first(ROWS, plan)).as(plan).isIn((double) tasks, 0.0);
        costs.computeIfAbsent(what, each -> new ArrayList<>())
                .add(new Cost(first(LOG, plan) / tasks, first(PAGES, plan) / tasks));
    }

    private static double first(Pattern figure, String plan) {
        Matcher matcher = figure.matcher(plan);
        assertThat(matcher.find()).as(plan).isTrue();
        return Double.parseDouble(matcher.group(1));
    }

    private void assertCost(String what, double log, double pages) {
        List<Cost> measured = costs.get(what);
        assertThat(median(measured, Cost::log))
                .as("bytes of log of a task's " + what)
                .isLessThanOrEqualTo(log);
        assertThat(median(measured, Cost::pages))
                .as("pages of a task's " + what)
                .isLessThanOrEqualTo(pages);
    }

    private static double median(List<Cost> costs, ToDoubleFunction<Cost> figure) {
        return costs.stream().mapToDouble(figure).sorted().toArray()[costs.size() / 2];
    }
}
