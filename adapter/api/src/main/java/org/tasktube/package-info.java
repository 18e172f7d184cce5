/**
 * The API of TaskTube, for applications: {@link org.tasktube.TubeConnectionFactory} gives connections, which lead to tubes; a
 * message-driven bean implements {@link org.tasktube.TaskListener} or {@link org.tasktube.TaskChangeListener}. All errors are
 * {@link org.tasktube.TaskTubeException}s, or the JDK's exceptions for wrong arguments and closed connections.
 */
package org.tasktube;
