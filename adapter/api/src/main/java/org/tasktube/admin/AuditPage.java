package org.tasktube.admin;

import java.util.List;
import java.util.OptionalLong;

/**
 * A page of the audit.
 *
 * @param entries the rows, the newest first
 * @param next where the next page begins; empty if this page is the last
 */
public record AuditPage(List<AuditEntry> entries, OptionalLong next) {

    public AuditPage {
        entries = List.copyOf(entries);
    }
}
