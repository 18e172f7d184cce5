package org.tasktube.store.sql;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.tasktube.admin.AuditAct;
import org.tasktube.admin.TaskFilter;

/** A row of {@code tasktube_audit}, which {@link AuditTrail} reads by JDBC. */
@Entity(name = "Audit")
@Table(name = "tasktube_audit")
@SuppressWarnings("UnusedVariable") // the columns are checked against the table
class AuditEntity {

    @Id
    private long id;

    @Column(name = "done_at", nullable = false)
    private Instant doneAt;

    @Column(nullable = false, length = AuditAct.MAX_NAME)
    private String who;

    @Column(nullable = false, length = AuditAct.MAX_RIGHT)
    private String needs;

    @Column(nullable = false, length = AuditAct.MAX_ACT)
    private String act;

    @Column(length = AuditAct.MAX_ACT)
    private String tube;

    @Column(length = AuditAct.MAX_ACT)
    private String task;

    @Column(name = "filter_text", length = TaskFilter.MAX_LENGTH)
    private String filter;

    private Long amount;

    @Column(length = AuditAct.MAX_NAME)
    private String reason;

    @Column(nullable = false)
    private int status;

    @Column(length = AuditAct.MAX_ACT)
    private String address;

    @Column(nullable = false, length = AuditAct.MAX_NAME)
    private String server;
}
