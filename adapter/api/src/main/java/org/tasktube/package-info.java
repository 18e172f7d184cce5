/**
 * How does an application use tubes? {@link org.tasktube.TubeConnectionFactory} gives connections, and a
 * {@link org.tasktube.TubeConnection} gives tubes. A message-driven bean implements {@link org.tasktube.TaskListener}
 * or {@link org.tasktube.TaskChangeListener}. All errors are {@link org.tasktube.TaskTubeException}s, or the JDK's
 * exceptions for wrong arguments and closed connections.
 */
package org.tasktube;
