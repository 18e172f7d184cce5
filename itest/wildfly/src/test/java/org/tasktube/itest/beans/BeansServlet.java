package org.tasktube.itest.beans;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.ejb.EJBException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;

/**
 * What tests ask of the beans' application: {@code /beans/OPERATION?tube=…&text=…}; an error is a status of 500 and
 * its message.
 */
@WebServlet("/*")
public class BeansServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    private static final int MOST = 1_000;

    @Resource(lookup = "java:/TaskTube")
    private transient TubeConnectionFactory tubes;

    @EJB
    private transient Rows rows;

    @EJB
    private transient Desk desk;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("text/plain;charset=UTF-8");
        try {
            response.getWriter().print(answer(request));
        } catch (RuntimeException e) {
            response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            response.getWriter().print(e);
        }
    }

    private Object answer(HttpServletRequest request) {
        String text = request.getParameter("text");
        return switch (request.getPathInfo()) {
            case "/lines" -> ReportedLines.of(text);
            case "/rows" -> rows.count(text);
            case "/close-marked" -> repeat(request, () -> desk.closeMarked(Echo.TUBE));
            case "/close-after-failure" -> repeat(request, () -> desk.closeAfterFailureOfAnother(Echo.TUBE));
            case "/take-and-close" -> repeat(request, () -> desk.takeAndClose(request.getParameter("tube")));
            case "/close-by-cleaner" -> repeat(request, () -> desk.closeByCleaner(request.getParameter("tube")));
            case "/leak" -> repeat(request, desk::leak);
            default -> connected(request);
        };
    }

    /** Calls that often, and answers with each different failure but those that the call is made for. */
    private static String repeat(HttpServletRequest request, Runnable call) {
        List<String> failures = new ArrayList<>();
        for (int i = 0; i < number(request, "count"); i++) {
            try {
                call.run();
            } catch (EJBException e) {
                for (Throwable t = e; t != null; t = t.getCause()) {
                    failures.add(t.toString());
                    Stream.of(t.getSuppressed()).map(Throwable::toString).forEach(failures::add);
                }
            }
        }
        return failures.stream().distinct().collect(Collectors.joining("\n"));
    }

    private static int number(HttpServletRequest request, String name) {
        String value = request.getParameter(name);
        return value == null ? 1 : Integer.parseInt(value);
    }

    private Object connected(HttpServletRequest request) {
        try (TubeConnection connection = tubes.getConnection()) {
            return switch (request.getPathInfo()) {
                case "/state" -> connection.state();
                case "/tubes" -> create(connection);
                default -> inTube(connection.tube(request.getParameter("tube")), request);
            };
        }
    }

    private String create(TubeConnection connection) {
        rows.create();
        for (String name : List.of(TimedOutInMemory.TUBE, TimedOutWork.PUT_IN_MEMORY)) {
            connection.createTubeIfNotExists(TubeDefinition.fifottl(name).asTemporary());
        }
        for (String name : List.of(
                TimedOutStored.TUBE,
                TimedOutWork.PUT_STORED,
                AckInNew.TUBE,
                Batched.TUBE,
                Typed.TUBE,
                Speechless.TUBE,
                Interrupting.TUBE,
                SmallPool.TUBE,
                Deep.TUBE,
                Echo.TUBE,
                "crowd-1",
                "crowd-2",
                "crowd-3",
                "called-back",
                OwnTimeout.TUBE,
                ServerTimeout.TUBE,
                "error-thrown")) {
            connection.createTubeIfNotExists(TubeDefinition.fifottl(name));
        }
        return "created";
    }

    private static Object inTube(Tube tube, HttpServletRequest request) {
        return switch (request.getPathInfo()) {
            case "/put" -> put(tube, request);
            case "/take" ->
                tube.take(Duration.ofMillis(number(request, "within")))
                        .map(task -> acked(tube, task))
                        .orElse("");
            case "/count" ->
                tube.tasks(TaskState.valueOf(request.getParameter("state")), 0, MOST)
                        .size();
            case "/failure" -> failure(tube);
            case "/throw-at" -> throwAt(tube, Set.of(request.getParameterValues("event")));
            case "/listen-no-more" -> tube.onTaskChange(null).isPresent();
            default -> throw new IllegalArgumentException(request.getPathInfo());
        };
    }

    private static int put(Tube tube, HttpServletRequest request) {
        PutOptions options = PutOptions.defaults();
        if (request.getParameter("delay") != null) {
            options = options.delay(Duration.ofMillis(number(request, "delay")));
        }
        List<String> texts = Collections.nCopies(number(request, "count"), request.getParameter("text"));
        return tube.putAll(texts, options).size();
    }

    private static String acked(Tube tube, Task task) {
        tube.ack(task);
        return task.text();
    }

    /** What was kept of the failure of the tube's first buried task. */
    private static String failure(Tube tube) {
        Optional<TaskFailure> kept =
                tube.peekBuried().flatMap(task -> tube.meta(task.id())).flatMap(meta -> meta.lastFailure());
        return kept.map(failure -> failure.type() + "\n" + failure.message() + "\n" + failure.trace())
                .orElse("");
    }

    private static String throwAt(Tube tube, Set<String> events) {
        tube.onTaskChange(change -> {
            if (events.contains(change.event().name())) {
                throw new AssertionError("an Error of a listener at " + change.event());
            }
        });
        return "listens";
    }
}
