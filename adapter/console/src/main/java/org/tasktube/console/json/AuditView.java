package org.tasktube.console.json;

import java.time.Instant;
import java.util.List;
import org.tasktube.admin.AuditAct;
import org.tasktube.admin.AuditEntry;
import org.tasktube.admin.AuditPage;

/**
 * A page of the audit. A member without a value is absent.
 *
 * @param entries the rows, the newest first
 * @param next where the next page begins; null if this page is the last
 * @param now the time of the server that answers
 */
public record AuditView(List<Entry> entries, String next, Instant now) {

    /** Returns the view of a page. */
    public static AuditView of(AuditPage page) {
        return new AuditView(
                page.entries().stream().map(Entry::of).toList(),
                page.next().isPresent() ? Long.toString(page.next().getAsLong()) : null,
                Instant.now());
    }

    /** A row of the audit. */
    public record Entry(
            String id,
            Instant at,
            String who,
            String right,
            String act,
            String tube,
            String task,
            String filter,
            Long number,
            String reason,
            int status,
            String server,
            String address) {

        static Entry of(AuditEntry entry) {
            AuditAct act = entry.done();
            return new Entry(
                    Long.toString(entry.id()),
                    entry.at(),
                    act.who(),
                    act.right(),
                    act.act(),
                    act.tube().orElse(null),
                    act.task().orElse(null),
                    act.filter().orElse(null),
                    act.number().isPresent() ? act.number().getAsLong() : null,
                    act.reason().orElse(null),
                    act.status(),
                    entry.server(),
                    act.address().orElse(null));
        }
    }
}
