/**
 * How does a task reach a message-driven bean? A {@link org.tasktube.inflow.TaskActivation} claims tasks for one bean,
 * and {@link org.tasktube.inflow.Prefetch} decides how far ahead. The {@link org.tasktube.inflow.DeliveryThreads} run
 * deliveries, and a {@link org.tasktube.inflow.Delivery} is the script of each. It ends in a
 * {@link org.tasktube.inflow.DeliveryOutcome}, which the {@link org.tasktube.inflow.OutcomeHandler} applies to the
 * task.
 */
package org.tasktube.inflow;
