package org.tasktube.bench.app;

import jakarta.annotation.Resource;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.tasktube.AdapterState;
import org.tasktube.History;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TubeChange;

/** Where the benchmark says what to do: one POST, one answer in plain text. */
@WebServlet("/*")
public class BenchServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @Resource(lookup = "java:/TaskTube")
    private transient TubeConnectionFactory tubes;

    @Inject
    private transient OwnStatements ownStatements;

    @Inject
    private transient SmallTable smallTable;

    @Inject
    private transient DbScheduler dbScheduler;

    @Inject
    private transient JobRunrQueue jobRunr;

    @Inject
    private transient Load load;

    @Inject
    private transient Batches batches;

    @Inject
    private transient Meter meter;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        try {
            response.setContentType("text/plain");
            response.getWriter().print(answer(request));
        } catch (InterruptedException | ExecutionException e) {
            throw new ServletException(e);
        }
    }

    private String answer(HttpServletRequest request) throws InterruptedException, ExecutionException {
        return switch (request.getPathInfo()) {
            case "/open" -> open();
            case "/put" -> String.valueOf(load.put(side(request), tasks(request)));
            case "/latencies" -> percentiles(load.latencies(side(request), tasks(request)));
            case "/work-off" ->
                String.valueOf(batches.workOff(request.getParameter("tube"), number(request, "batch"), tasks(request)));
            case "/takes" -> percentiles(batches.takes(tasks(request)));
            case "/takes-behind-busy" -> percentiles(batches.takesBehindBusy(tasks(request)));
            case "/history" -> history(History.valueOf(request.getParameter("of")));
            case "/expect" -> expect(tasks(request));
            case "/await" -> String.valueOf(meter.await());
            case "/start-jdbc" -> startJdbc(side(request));
            case "/stop-jdbc" -> stopJdbc(side(request));
            default -> throw new IllegalArgumentException(request.getPathInfo());
        };
    }

    private static Side side(HttpServletRequest request) {
        return Side.valueOf(request.getParameter("side"));
    }

    private static int tasks(HttpServletRequest request) {
        return number(request, "tasks");
    }

    private static int number(HttpServletRequest request, String name) {
        return Integer.parseInt(request.getParameter(name));
    }

    /** Makes the tubes, as soon as the adapter has its database. */
    private String open() throws InterruptedException {
        try (TubeConnection connection = tubes.getConnection()) {
            while (connection.state() != AdapterState.RUNNING) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
            for (Side side : Side.values()) {
                if (!side.tube().isEmpty()) {
                    connection.createTubeIfNotExists(definition(side));
                }
            }
            connection.createTubeIfNotExists(TubeDefinition.fifottl(Batches.PLAIN));
            connection.createTubeIfNotExists(TubeDefinition.utubettl(Batches.SUB_QUEUES));
            for (int i = 0; i < IdleWorker.COUNT; i++) {
                connection.createTubeIfNotExists(TubeDefinition.fifo("idle-" + i));
            }
            // Without it one side alone would insert at the right end of the index, which costs PostgreSQL less
            connection.createTubeIfNotExists(TubeDefinition.fifo("last")).put("x");
        }
        ownStatements.open();
        smallTable.open();
        dbScheduler.open();
        jobRunr.open();
        return "";
    }

    private static TubeDefinition definition(Side side) {
        return switch (side) {
            case TASKTUBE_TTR -> TubeDefinition.fifottl(side.tube()).ttr(Duration.ofMinutes(2));
            case TASKTUBE_HISTORY -> TubeDefinition.fifo(side.tube()).history(History.ALL);
            case TASKTUBE_SUB -> TubeDefinition.utubettl(side.tube());
            case TASKTUBE_TEMPORARY -> TubeDefinition.fifo(side.tube()).asTemporary();
            default -> TubeDefinition.fifo(side.tube());
        };
    }

    private String history(History of) {
        try (TubeConnection connection = tubes.getConnection()) {
            connection.unwrap(TaskAdmin.class).changeTube(Side.TASKTUBE.tube(), TubeChange.NONE.history(of));
        }
        return "";
    }

    private String expect(int tasks) {
        meter.expect(tasks);
        return "";
    }

    private static String percentiles(long[] sorted) {
        return sorted[sorted.length / 2] + " " + sorted[sorted.length * 99 / 100];
    }

    private String startJdbc(Side side) {
        load.startDelivery(side);
        return "";
    }

    private String stopJdbc(Side side) throws InterruptedException {
        load.stopDelivery(side);
        return "";
    }
}
