/**
 * Delivery to message-driven beans: an {@link org.tasktube.inflow.Activation} claims for one bean,
 * {@link org.tasktube.inflow.Delivery} is what happens with each task.
 */
package org.tasktube.inflow;
