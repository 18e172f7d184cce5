/**
 * How do applications get connections from the container's pool? A connection's session begins and ends with its
 * handle.
 */
package org.tasktube.outbound;
