/** How do the statistics of the tubes reach Graphite? A failure there does not affect the tubes. */
package org.tasktube.metrics;
