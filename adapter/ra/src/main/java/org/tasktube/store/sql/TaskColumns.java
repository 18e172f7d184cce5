package org.tasktube.store.sql;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import org.tasktube.TaskState;
import org.tasktube.spi.Position;
import org.tasktube.store.NewTask;
import org.tasktube.store.StoredTube;

/**
 * The values of several tasks to put, for a statement that takes an array per column. The driver sends an array of these
 * element types as it is. It would write an array of objects as a text.
 */
final class TaskColumns {

    private TaskColumns() {}

    static Parameters of(StoredTube tube, List<NewTask> tasks, boolean haveTheirPuts) {
        return Parameters.of(
                "tube", tube.id(),
                "events", texts(tasks, task -> haveTheirPuts ? task.transition().name() : null),
                "states", texts(tasks, task -> String.valueOf(task.state().letter())),
                "pris", ints(tasks, NewTask::pri),
                "numbers", longs(tasks, TaskColumns::number),
                "signs", longs(tasks, task -> task.position().end() == Position.End.FIRST ? -1L : 1L),
                "until_deadlines", longs(tasks, task -> Parameters.millis(task.untilEvent())),
                "until_expiries", longs(tasks, task -> Parameters.millis(task.untilExpiry())),
                "ttrs", longs(tasks, task -> Parameters.millis(task.ttr())),
                "utubes", texts(tasks, task -> task.utube().orElse(null)),
                "blocked", booleans(tasks, task -> task.utube().isPresent() && task.state() == TaskState.READY),
                "content_types", texts(tasks, task -> task.data().contentType()),
                "data", bytes(tasks, task -> task.data().bytes()),
                "headers", texts(tasks, task -> HeadersJson.write(task.headers())));
    }

    private static Long number(NewTask task) {
        OptionalLong number = task.position().number();
        return number.isPresent() ? number.getAsLong() : null;
    }

    private static SqlArray texts(List<NewTask> tasks, Function<NewTask, String> value) {
        String[] values = tasks.stream().map(value).toArray(String[]::new);
        return connection -> connection.createArrayOf("varchar", values);
    }

    private static SqlArray longs(List<NewTask> tasks, Function<NewTask, Long> value) {
        Long[] values = tasks.stream().map(value).toArray(Long[]::new);
        return connection -> connection.createArrayOf("int8", values);
    }

    private static SqlArray ints(List<NewTask> tasks, Function<NewTask, Integer> value) {
        Integer[] values = tasks.stream().map(value).toArray(Integer[]::new);
        return connection -> connection.createArrayOf("int4", values);
    }

    private static SqlArray booleans(List<NewTask> tasks, Function<NewTask, Boolean> value) {
        Boolean[] values = tasks.stream().map(value).toArray(Boolean[]::new);
        return connection -> connection.createArrayOf("bool", values);
    }

    private static SqlArray bytes(List<NewTask> tasks, Function<NewTask, byte[]> value) {
        byte[][] values = tasks.stream().map(value).toArray(byte[][]::new);
        return connection -> connection.createArrayOf("bytea", values);
    }
}
