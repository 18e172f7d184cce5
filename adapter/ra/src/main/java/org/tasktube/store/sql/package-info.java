/**
 * How are tasks kept in the tables of a database? The files {@code schema-*.sql} define the tables. The JPA entities
 * map them, check them at the start, and serve reads. All changes of tasks are named SQL statements, which
 * {@link org.tasktube.store.sql.Statements} reads.
 *
 * <p>Easy to get wrong in a statement:
 *
 * <ul>
 *   <li>The WHERE of a change has all conditions that must be true of the task, with session and token for a
 *       holder. Do not read first.
 *   <li>Time is {@code {time}}. PostgreSQL's {@code now()} and H2's {@code CURRENT_TIMESTAMP} do not change in a
 *       transaction, and PostgreSQL cannot search an index by {@code clock_timestamp()}. {@code OneReadingTest} checks
 *       that H2 reads the clock once per statement.
 *   <li>A parameter that may be null is in a CAST. A statement that must use a partial index has the state in its
 *       text.
 *   <li>H2's {@code DATEDIFF(MILLISECOND …)} counts crossed boundaries, so its result can be 1 ms too small: use
 *       {@code {until_deadline}}.
 *   <li>H2 finds a row in an index by a condition, and may then wait for the row's lock. It does not check that
 *       condition again, so repeat it on a column that the index does not have.
 *   <li>H2 runs {@code id IN (SELECT …)} anew for each row of a change, and locks and sorts all rows that {@code
 *       SELECT … ORDER BY … FOR UPDATE} could return: see {@code Dialect.tasksOf}, {@code listByIds} and {@code
 *       H2.lockInOrder}.
 *   <li>In PostgreSQL an error ends the caller's transaction, so an expected case such as an existing name is
 *       {@code ON CONFLICT DO NOTHING}. That waits for each transaction that changes the row. NUL cannot be stored.
 *   <li>In {@code schema-*.sql} a statement with semicolons of its own has them between {@code $$}. A change of
 *       the tables is a new version, with a migration from the one before.
 * </ul>
 */
package org.tasktube.store.sql;
