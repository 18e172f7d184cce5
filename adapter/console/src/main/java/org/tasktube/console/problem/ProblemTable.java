package org.tasktube.console.problem;

import jakarta.ws.rs.WebApplicationException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.ConnectionException;
import org.tasktube.DataTooLargeException;
import org.tasktube.OperationNotFoundException;
import org.tasktube.OperationRefusedException;
import org.tasktube.ScheduleNotFoundException;
import org.tasktube.SessionExpiredException;
import org.tasktube.SessionOwnerException;
import org.tasktube.StoreException;
import org.tasktube.TaskDataException;
import org.tasktube.TaskExistsException;
import org.tasktube.TaskFailure;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.TaskTubeException;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.TubeDrainingException;
import org.tasktube.TubeExistsException;
import org.tasktube.TubeFullException;
import org.tasktube.TubeInUseException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.UnsupportedOptionException;
import org.tasktube.WrongStateException;
import org.tasktube.admin.FilterException;

import static java.util.Map.entry;

/** The one table from exceptions to problems. No problem has a trace, a class or a statement of a database. */
final class ProblemTable {

    private static final String OWN = "org.tasktube.";
    private static final String IN_THE_LOG = "the log of the server has the reason";
    private static final String POOL_IN_USE =
            "the adapter's datasource has no free connection; try again, or raise its max-pool-size";

    /** The messages of these name the fault and the next step, except those of the database. */
    static final Map<Class<? extends TaskTubeException>, Kind> KINDS = Map.ofEntries(
            entry(AdapterNotRunningException.class, Kind.NOT_RUNNING),
            entry(ConnectionException.class, Kind.NO_CONNECTION),
            entry(DataTooLargeException.class, Kind.TOO_LARGE),
            entry(OperationNotFoundException.class, Kind.NO_OPERATION),
            entry(ScheduleNotFoundException.class, Kind.NO_SCHEDULE),
            entry(OperationRefusedException.class, Kind.OPERATION),
            entry(SessionExpiredException.class, Kind.SESSION_EXPIRED),
            entry(SessionOwnerException.class, Kind.FORBIDDEN),
            entry(StoreException.class, Kind.DATABASE),
            entry(TaskDataException.class, Kind.VALUE),
            entry(TaskExistsException.class, Kind.TASK_EXISTS),
            entry(TaskNotFoundException.class, Kind.NO_TASK),
            entry(TaskNotTakenException.class, Kind.NOT_TAKEN),
            entry(TaskTakenByAnotherException.class, Kind.TAKEN_BY_ANOTHER),
            entry(TransactionNotActiveException.class, Kind.DATABASE),
            entry(TubeDrainingException.class, Kind.DRAINING),
            entry(TubeExistsException.class, Kind.TUBE_EXISTS),
            entry(TubeFullException.class, Kind.TUBE_FULL),
            entry(TubeInUseException.class, Kind.TUBE_IN_USE),
            entry(TubeNotFoundException.class, Kind.NO_TUBE),
            entry(UnsupportedOptionException.class, Kind.OPTION),
            entry(WrongStateException.class, Kind.STATE));

    private ProblemTable() {}

    static Problem of(Throwable thrown, String instance) {
        if (thrown instanceof ProblemException refused) {
            return Problem.of(refused.kind(), refused.getMessage(), instance);
        }
        if (thrown instanceof FilterException wrong) {
            return new Problem(Kind.FILTER, wrong.getMessage(), instance, OptionalInt.of(wrong.position()));
        }
        if (thrown instanceof StoreException failed) {
            return ofStore(failed, instance);
        }
        if (thrown instanceof TaskTubeException refused) {
            Kind kind = KINDS.get(refused.getClass());
            return Problem.of(kind, kind == Kind.DATABASE ? IN_THE_LOG : refused.getMessage(), instance);
        }
        if (thrown instanceof IllegalArgumentException && isOwn(thrown)) {
            return Problem.of(Kind.VALUE, thrown.getMessage(), instance);
        }
        if (thrown instanceof WebApplicationException answered) {
            Kind kind = of(answered.getResponse().getStatus());
            return Problem.of(kind, kind == Kind.FAULT ? IN_THE_LOG : kind.title(), instance);
        }
        return Problem.of(Kind.FAULT, IN_THE_LOG, instance);
    }

    /** TaskTube's own refusals have no cause, and name their next step. A reason of the database is not shown. */
    private static Problem ofStore(StoreException thrown, String instance) {
        if (thrown.getCause() == null) {
            return Problem.of(Kind.BUSY, thrown.getMessage(), instance);
        }
        return hasNoConnection(thrown)
                ? Problem.of(Kind.NO_CONNECTION, POOL_IN_USE, instance)
                : Problem.of(Kind.DATABASE, IN_THE_LOG, instance);
    }

    /** A pool without a free connection fails without an SQL state, because the database was not asked. */
    private static boolean hasNoConnection(Throwable thrown) {
        List<SQLException> causes = TaskFailure.causes(thrown).stream()
                .filter(SQLException.class::isInstance)
                .map(SQLException.class::cast)
                .toList();
        return !causes.isEmpty() && causes.stream().allMatch(cause -> cause.getSQLState() == null);
    }

    /** An argument that the JDK or the server refuses is a fault of the console. */
    private static boolean isOwn(Throwable thrown) {
        return Arrays.stream(thrown.getStackTrace()).limit(1).anyMatch(frame -> frame.getClassName()
                .startsWith(OWN));
    }

    private static Kind of(int status) {
        return switch (status) {
            case 400 -> Kind.VALUE;
            case 401 -> Kind.LOGIN;
            case 403 -> Kind.FORBIDDEN;
            case 404 -> Kind.NO_RESOURCE;
            case 405 -> Kind.METHOD;
            case 406 -> Kind.NOT_ACCEPTABLE;
            case 413 -> Kind.TOO_LARGE;
            case 415 -> Kind.CONTENT_TYPE;
            default -> Kind.FAULT;
        };
    }
}
