/**
 * How does TaskTube start and stop in a server? The resource adapter reads its configuration, and connects outbound and
 * inflow to one node over one store.
 */
package org.tasktube.ra;
