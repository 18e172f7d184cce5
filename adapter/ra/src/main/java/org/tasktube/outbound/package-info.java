/** Connections: the JCA roles for applications that put and take. A connection's session begins and ends with its handle. */
package org.tasktube.outbound;
