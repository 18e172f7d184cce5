/** Streams of events: one reader for all clients, and no queue for any of them. */
package org.tasktube.console.live;
