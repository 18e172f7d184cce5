package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.tasktube.admin.AuditAct;
import org.tasktube.admin.AuditEntry;
import org.tasktube.admin.AuditQuery;

/**
 * The audit: a row per act of a user. If the store fails, a method throws {@link org.tasktube.StoreException}.
 */
public record AuditTrail(Jdbc jdbc, Dialect dialect) {

    /** Adds a row, in the caller's transaction if it has one. */
    public void add(String server, AuditAct act) {
        Parameters row = Parameters.of(
                "who", act.who(),
                "needs", act.right(),
                "act", act.act(),
                "tube", act.tube().orElse(null),
                "task", act.task().orElse(null),
                "filter", act.filter().orElse(null),
                "amount", act.number().isPresent() ? act.number().getAsLong() : null,
                "reason", act.reason().orElse(null),
                "status", act.status(),
                "address", act.address().orElse(null),
                "server", server);
        // Limited: acts, and the rows of later refusals, would wait for the lock of another session without end
        jdbc.single("write a row of the audit", on -> on.within(Scans.SECONDS).update(sql("add_audit"), row));
    }

    /**
     * Returns at most {@code max} rows with a smaller number, the greatest first. Reads by an index, and locks nothing.
     */
    public List<AuditEntry> before(AuditQuery query, long id, int max) {
        Parameters parameters = Parameters.of(
                "who", query.who().orElse(null),
                "act", query.act().orElse(null),
                "tube", query.tube().orElse(null),
                "task", query.task().orElse(null),
                "since", time(query.since()),
                "until", time(query.until()),
                "before", id,
                "max", max);
        return jdbc.reading("read the audit", dialect::beginReading, on -> on.within(Scans.SECONDS)
                .list(statement(query), AuditTrail::entry, parameters));
    }

    private static OffsetDateTime time(Optional<Instant> time) {
        return time.map(at -> at.atOffset(ZoneOffset.UTC)).orElse(null);
    }

    /** The statement's text has the condition that is most likely to be rare, so that its index gives the order. */
    private NamedStatement statement(AuditQuery query) {
        if (query.tube().isPresent()) {
            return sql("audit_of_tube");
        } else if (query.who().isPresent()) {
            return sql("audit_of_user");
        }
        return query.act().isPresent() ? sql("audit_of_act") : sql("audit");
    }

    private static AuditEntry entry(ResultSet row) throws SQLException {
        long amount = row.getLong("amount");
        OptionalLong number = row.wasNull() ? OptionalLong.empty() : OptionalLong.of(amount);
        AuditAct act = new AuditAct(
                row.getString("who"),
                row.getString("needs"),
                row.getString("act"),
                Optional.ofNullable(row.getString("tube")),
                Optional.ofNullable(row.getString("task")),
                Optional.ofNullable(row.getString("filter_text")),
                number,
                Optional.ofNullable(row.getString("reason")),
                row.getInt("status"),
                Optional.ofNullable(row.getString("address")));
        return new AuditEntry(row.getLong("id"), Rows.instant(row, 2), row.getString("server"), act);
    }

    /**
     * Removes at most {@code max} of the oldest rows, if they are older than the retention. Skips rows that another
     * server removes. Never called in a transaction.
     *
     * @return the number of rows that it found to be too old
     */
    public int removeOld(Duration retention, int max) {
        List<Long> old = jdbc.glance(
                "look for old rows of the audit",
                on -> on.list(
                        sql("old_audit"),
                        row -> row.getLong(1),
                        Parameters.of("max", max, "retention", retention.toMillis())));
        if (!old.isEmpty()) {
            jdbc.atomic("remove old rows of the audit", on -> {
                List<Long> locked =
                        dialect.listByIds(on, sql("lock_audit"), row -> row.getLong(1), Parameters.of("ids", old));
                if (!locked.isEmpty()) {
                    dialect.updateByIds(on, sql("remove_audit"), Parameters.of("ids", locked));
                }
                return locked.size();
            });
        }
        return old.size();
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }
}
