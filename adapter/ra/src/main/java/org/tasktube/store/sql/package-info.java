/**
 * How are tasks kept in the tables of a database? The files {@code schema-*.sql} define the tables. The JPA entities
 * map them, check them at the start, and serve reads. All changes of tasks are named SQL statements, which
 * {@link org.tasktube.store.sql.Statements} reads.
 */
package org.tasktube.store.sql;
