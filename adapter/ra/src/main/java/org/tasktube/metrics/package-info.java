/** How do the statistics of the tubes reach Graphite and the management model? A failure there does not affect the tubes. */
package org.tasktube.metrics;
