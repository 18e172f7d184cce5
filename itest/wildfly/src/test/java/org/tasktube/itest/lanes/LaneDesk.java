package org.tasktube.itest.lanes;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.OnConflict;
import org.tasktube.SessionExpiredException;
import org.tasktube.Task;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskResult;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationPreview;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;

/** What the driver of the chaos asks of a server. */
@Stateless
@TransactionManagement(TransactionManagementType.BEAN)
public class LaneDesk {

    private static final String COMMITTED = "committed";
    private static final String ROLLED_BACK = "rolled back";
    private static final int TIMEOUT = 2;
    private static final Duration PATIENCE = Duration.ofMillis(300);

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @Resource
    private UserTransaction transaction;

    @Inject
    private Facts facts;

    static Lane laneOf(Task task) {
        return Lane.valueOf(task.tube().toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    public String create() {
        try (TubeConnection connection = tubes.getConnection()) {
            Arrays.stream(Lane.values()).forEach(lane -> connection.createTubeIfNotExists(lane.definition()));
            return connection.state().name();
        }
    }

    /** Puts tasks with successive numbers in one transaction. Returns how it ended, and how many tasks wait. */
    public String put(Lane lane, String sub, long from, int count) throws Exception {
        return inTransaction(connection -> {
            Tube tube = connection.tube(lane.tube());
            for (long number = from; number < from + count; number++) {
                put(tube, lane, sub, number);
            }
            return Long.toString(tube.statistics().ready());
        });
    }

    private void put(Tube tube, Lane lane, String sub, long number) {
        String text = Long.toString(number);
        Optional<String> key = lane.key(number);
        if (key.isPresent()) {
            Task task = tube.putUnique(key.get(), text, lane.options(sub), OnConflict.KEEP);
            if (task.text().equals(text)) {
                facts.put(lane, task, number);
            }
        } else {
            tube.put(text, lane.options(sub), PATIENCE).ifPresent(task -> facts.put(lane, task, number));
        }
    }

    /** Takes a task as it is done in a lane without a bean. */
    public String take(Lane lane) throws Exception {
        return switch (lane) {
            case RELEASED -> takeOrRelease(lane);
            case SESSION -> takeBySession(lane);
            default -> takeWithResult(lane);
        };
    }

    /** Takes a task, works on it, and acks it with a result, all in one transaction. Its answer ends with the task. */
    private String takeWithResult(Lane lane) throws Exception {
        return inTransaction(connection -> {
            Tube tube = connection.tube(lane.tube());
            Optional<Task> taken = tube.take(PATIENCE);
            taken.ifPresent(task -> {
                facts.done(lane, task, Long.parseLong(task.text()));
                tube.ack(task, TaskResult.completed("done").ttl(Lane.KEPT));
            });
            return taken.map(task -> Long.toString(task.id())).orElse("");
        });
    }

    public String result(Lane lane, long task) {
        try (TubeConnection connection = tubes.getConnection()) {
            return connection.tube(lane.tube()).result(task).isPresent() ? "there" : Lane.GONE;
        }
    }

    /** Takes a task, and either acks or releases it, in one transaction. */
    private String takeOrRelease(Lane lane) throws Exception {
        boolean releases = ThreadLocalRandom.current().nextBoolean();
        return inTransaction(connection -> {
            Tube tube = connection.tube(lane.tube());
            Optional<Task> taken = tube.take(PATIENCE);
            taken.ifPresent(task -> {
                long number = Long.parseLong(task.text());
                if (releases) {
                    facts.released(lane, task, number);
                    tube.release(task);
                } else {
                    facts.done(lane, task, number);
                    tube.ack(task);
                }
            });
            return taken.isPresent() ? "1" : "0";
        });
    }

    /** Takes a task by a session that then has no connection. Its answer is the session and the task. */
    private String takeBySession(Lane lane) {
        try (TubeConnection connection = tubes.getConnection()) {
            UUID session = connection.identify(Lane.KEPT);
            return connection
                    .tube(lane.tube())
                    .take(PATIENCE)
                    .map(task -> session + " " + task.id())
                    .orElse("");
        }
    }

    /** Works on a task that a session holds, and acks it by that session, in one transaction. */
    public String ackBySession(Lane lane, UUID session, long id) throws Exception {
        try {
            return inTransaction(connection -> {
                connection.identify(session);
                Tube tube = connection.tube(lane.tube());
                Task held = tube.peek(id).orElseThrow(() -> new TaskNotFoundException(lane.tube(), id));
                facts.done(lane, held, Long.parseLong(held.text()));
                tube.ack(held);
                return "1";
            });
        } catch (SessionExpiredException
                | TaskNotFoundException
                | TaskNotTakenException
                | TaskTakenByAnotherException e) {
            return Lane.GONE;
        }
    }

    private interface Work {
        String on(TubeConnection connection);
    }

    /** One in a hundred is rolled back, throws or times out. */
    private String inTransaction(Work work) throws Exception {
        int chance = LaneBean.WELL_BEHAVED
                ? Integer.MAX_VALUE
                : ThreadLocalRandom.current().nextInt(1_000);
        transaction.setTransactionTimeout(chance < 2 ? TIMEOUT : 0);
        transaction.begin();
        boolean ended = false;
        try (TubeConnection connection = tubes.getConnection()) {
            String answer = work.on(connection);
            if (chance < 2) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TIMEOUT * 1_000 + 500));
            } else if (chance < 6) {
                throw new IllegalStateException("one in two hundred");
            }
            ended = true;
            if (chance < 10) {
                transaction.rollback();
                return ROLLED_BACK;
            }
            transaction.commit();
            return COMMITTED + " " + answer;
        } finally {
            if (!ended) {
                transaction.rollback();
            }
        }
    }

    /** Starts an act on all tasks of a lane. */
    public String act(Lane lane, OperationAct act) {
        try (TubeConnection connection = tubes.getConnection()) {
            TaskAdmin admin = connection.unwrap(TaskAdmin.class);
            TaskFilter filter = TaskFilter.parse("tube:" + lane.tube());
            OperationPreview preview = admin.previewOperation(act, filter);
            return preview.size().tasks() == 0
                    ? "nothing"
                    : "operation "
                            + admin.startOperation(act, filter, "chaos", "to see what happens", preview.size())
                                    .id();
        }
    }

    public String pause(Lane lane) {
        try (TubeConnection connection = tubes.getConnection()) {
            return "" + connection.tube(lane.tube()).pause("chaos");
        }
    }

    public String resume(Lane lane) {
        try (TubeConnection connection = tubes.getConnection()) {
            return "" + connection.tube(lane.tube()).resume();
        }
    }
}
