/**
 * Tasks in the tables of a database. The tables are written down in {@code schema-*.sql}; the JPA entities map them, check
 * them at start, and are what looks go through. What changes tasks is named SQL in {@link org.tasktube.store.sql.Statements}.
 */
package org.tasktube.store.sql;
