package org.tasktube.console.json;

import java.time.Instant;
import java.util.List;
import org.tasktube.admin.ChangedTasks;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationPreview;

/**
 * An act on many tasks. A member without a value is absent.
 *
 * @param id the id, as text, because it can be over 2^53
 * @param expected the number of tasks that the user has confirmed
 * @param isLeast true if that is a least number, which is no bound
 * @param looked the number of tasks that it has looked at
 * @param server the server that ran its latest batch
 */
public record OperationView(
        String id,
        String act,
        String filter,
        String reason,
        String by,
        String state,
        Instant created,
        Instant started,
        Instant ended,
        long expected,
        boolean isLeast,
        long looked,
        long changed,
        long skipped,
        String server,
        String cancelledBy,
        String cancelReason,
        String error) {

    /**
     * Returns an operation as a user sees it.
     *
     * @param sees true if the user sees values of secret names, which the filter may have
     */
    public static OperationView of(Operation operation, boolean sees) {
        return new OperationView(
                Long.toString(operation.id()),
                operation.act().name(),
                sees ? operation.filter().toString() : Secrets.hide(operation.filter()),
                operation.reason(),
                operation.by(),
                operation.state().name(),
                operation.created(),
                operation.started().orElse(null),
                operation.ended().orElse(null),
                operation.expected().tasks(),
                operation.expected().isLeast(),
                operation.looked(),
                operation.changed(),
                operation.skipped(),
                operation.server().orElse(null),
                operation.cancelledBy().orElse(null),
                operation.cancelReason().orElse(null),
                operation.error().orElse(null));
    }

    /**
     * A page of operations, the newest first.
     *
     * @param next where the next page begins; null if this page is the last
     */
    public record Page(List<OperationView> operations, String next, Instant now) {}

    /** The number of tasks of a tube that an act is for. */
    public record InTube(String tube, long count) {}

    /**
     * The tasks that an act would find.
     *
     * @param count the number of tasks that fit the filter, in all states
     * @param isMore true if more can fit
     * @param fits the number of those that the act is for
     * @param isLeast true if that is a least number
     * @param upTo the greatest id of a task, as text, because it can be over 2^53
     */
    public record Preview(
            String act,
            String filter,
            long count,
            boolean isMore,
            long fits,
            boolean isLeast,
            String upTo,
            long looked,
            List<InTube> tubes,
            List<TaskRow> samples,
            Instant now) {

        public static Preview of(OperationPreview preview, Instant now) {
            return new Preview(
                    preview.act().name(),
                    preview.filter().toString(),
                    preview.matching(),
                    preview.isMore(),
                    preview.size().tasks(),
                    preview.size().isLeast(),
                    Long.toString(preview.size().upTo()),
                    preview.looked(),
                    preview.tubes().entrySet().stream()
                            .map(tube -> new InTube(tube.getKey(), tube.getValue()))
                            .toList(),
                    preview.samples().stream()
                            .map(found -> TaskRow.of(found, null, null, false))
                            .toList(),
                    now);
        }
    }

    /**
     * Some of the tasks that an operation has changed.
     *
     * @param next where the next page begins; absent after the last one
     */
    public record Changed(List<Part> parts, String next) {

        /** Returns a page; one that is full may have another one after it. */
        public static Changed of(List<ChangedTasks> page, int limit) {
            String next = page.size() < limit
                    ? null
                    : Long.toString(page.get(page.size() - 1).number());
            return new Changed(page.stream().map(Part::of).toList(), next);
        }
    }

    /**
     * Tasks of a tube.
     *
     * @param ids the ids, as texts, because they can be over 2^53
     */
    public record Part(String tube, List<String> ids) {

        static Part of(ChangedTasks tasks) {
            return new Part(
                    tasks.tube(), tasks.ids().stream().map(String::valueOf).toList());
        }
    }
}
