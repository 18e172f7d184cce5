package org.tasktube.node.admin;

import java.util.List;
import java.util.OptionalLong;
import org.tasktube.admin.AuditAct;
import org.tasktube.admin.AuditEntry;
import org.tasktube.admin.AuditPage;
import org.tasktube.admin.AuditQuery;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.node.Settings;
import org.tasktube.node.StoreAccess;

/** Writes and reads the audit. */
record AuditCalls(StoreAccess access, Settings settings, AdminPermits permits) {

    void record(AuditAct act) {
        access.audit().add(settings.nodeName(), act);
    }

    AuditPage page(AuditQuery query, OptionalLong from, int limit) {
        if (limit < 1 || limit > TaskAdmin.MAX_PAGE) {
            throw new IllegalArgumentException("limit " + limit + " is not from 1 to " + TaskAdmin.MAX_PAGE);
        }
        // One row more than the page shows whether another page follows
        List<AuditEntry> read =
                permits.search(() -> access.audit().before(query, from.orElse(Long.MAX_VALUE), limit + 1));
        if (read.size() <= limit) {
            return new AuditPage(read, OptionalLong.empty());
        }
        List<AuditEntry> shown = read.subList(0, limit);
        return new AuditPage(shown, OptionalLong.of(shown.get(limit - 1).id()));
    }
}
