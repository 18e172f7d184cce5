/**
 * How do you extend TaskTube? {@link org.tasktube.spi.TubeDriver} adds a type of tubes. By
 * {@link org.tasktube.spi.DeadlineTimer}, a server's own timer wakes the adapter at a deadline.
 */
package org.tasktube.spi;
