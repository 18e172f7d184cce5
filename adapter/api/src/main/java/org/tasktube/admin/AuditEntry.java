package org.tasktube.admin;

import java.time.Instant;

/**
 * A row of the audit.
 *
 * @param id its number; a later row has a greater one
 * @param at the time of the row, by the database's clock
 * @param server the node name of the server that wrote it
 * @param done the act
 */
public record AuditEntry(long id, Instant at, String server, AuditAct done) {}
