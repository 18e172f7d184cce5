/** How do the numbers of the tubes reach Prometheus, and how does a load balancer learn that the server works? */
package org.tasktube.console.metrics;
