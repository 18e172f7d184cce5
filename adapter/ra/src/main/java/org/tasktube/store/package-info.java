/**
 * How does the adapter use a store of tasks, independent of the database? {@link org.tasktube.store.sql.TaskStore} is the
 * contract for tasks, and {@link org.tasktube.store.sql.Registry} the one for tubes, servers and sessions.
 * {@link org.tasktube.store.Transition} is the table of transitions. A {@link org.tasktube.store.Change} is a
 * transition with its values. The subpackages {@code sql} and {@code memory} keep tasks.
 */
package org.tasktube.store;
