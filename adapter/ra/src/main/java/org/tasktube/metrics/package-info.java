/** The numbers of the tubes, pushed to Graphite; what becomes of it, the queue does not notice. */
package org.tasktube.metrics;
