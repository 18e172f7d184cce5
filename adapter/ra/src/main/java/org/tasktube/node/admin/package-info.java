/**
 * How does the administration look at the tasks of all tubes, and act on many of them? {@code Administration} has the
 * calls, each by a class of its own: {@code TaskSearch} and {@code TaskMatch} find tasks, the reports read, and
 * {@code OperationRunner} runs what {@code OperationDesk} has started.
 *
 * <p>The node does not know this package. It is given its {@link org.tasktube.node.NodeAdmin}.
 */
package org.tasktube.node.admin;
