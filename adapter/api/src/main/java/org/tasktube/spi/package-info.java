/**
 * Interfaces that extend TaskTube: {@link org.tasktube.spi.TubeDriver} for a type of tubes of your own, and
 * {@link org.tasktube.spi.DeadlineTimer}, by which a server's own timer wakes the adapter.
 */
package org.tasktube.spi;
