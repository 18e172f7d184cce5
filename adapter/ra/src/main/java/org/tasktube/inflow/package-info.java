/**
 * Delivery to message-driven beans. {@link org.tasktube.inflow.TaskActivation} claims tasks for one bean,
 * {@link org.tasktube.inflow.Prefetch} decides how far ahead, {@link org.tasktube.inflow.DeliveryThreads} deliver them,
 * {@link org.tasktube.inflow.Delivery} is the script of one delivery and ends in a
 * {@link org.tasktube.inflow.DeliveryOutcome}, which {@link org.tasktube.inflow.OutcomeHandler} applies to the task.
 */
package org.tasktube.inflow;
