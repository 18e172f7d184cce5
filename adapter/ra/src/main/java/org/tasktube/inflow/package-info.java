/**
 * How does a task reach a message-driven bean? A {@link org.tasktube.inflow.TaskActivation} claims tasks for one bean,
 * and {@link org.tasktube.inflow.Prefetch} decides how far ahead. The {@link org.tasktube.inflow.DeliveryThreads} run
 * deliveries, and a {@link org.tasktube.inflow.Delivery} is the script of each. It ends in a
 * {@link org.tasktube.inflow.DeliveryOutcome}, which the {@link org.tasktube.inflow.OutcomeHandler} applies to the
 * task.
 *
 * <p>Easy to get wrong here:
 *
 * <ul>
 *   <li>A bean's {@code setRollbackOnly} is visible only between the bean's return and {@code afterDelivery}.
 *   <li>After a failed delivery the endpoint is released: the container may have discarded the bean.
 *   <li>A bean is activated and deactivated repeatedly. Deactivation returns when nothing new can start.
 * </ul>
 */
package org.tasktube.inflow;
