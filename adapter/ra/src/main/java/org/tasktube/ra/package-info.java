/**
 * How does TaskTube start and stop in a server? The resource adapter reads its configuration, and connects outbound and
 * inflow to one node over one store.
 *
 * <p>Easy to get wrong here:
 *
 * <ul>
 *   <li>A property has its name, type and default in the class and in {@code ra.xml}, which {@code DescriptorTest}
 *       compares. All are text, because WildFly replaces a number that it cannot read by the default.
 *   <li>Neither {@code start} nor {@code stop} may wait for the database. At {@code stop} the datasource may be
 *       gone.
 *   <li>Servers look up by {@code equals} and {@code hashCode} of the resource adapter and the connection factory,
 *       which compare the configuration.
 *   <li>{@code ironjacamar.xml} belongs into the rar that you copy, never into the one that is configured.
 * </ul>
 */
package org.tasktube.ra;
