/**
 * What does a store keep? Tasks, tubes, servers and sessions as values, independent of the database.
 * {@link org.tasktube.store.Transition} is the table of transitions. A {@link org.tasktube.store.Change} is a
 * transition with its values. The subpackage {@code sql} keeps them: {@link org.tasktube.store.sql.TaskStore} the tasks,
 * and {@link org.tasktube.store.sql.Registry} tubes, servers and sessions.
 */
package org.tasktube.store;
