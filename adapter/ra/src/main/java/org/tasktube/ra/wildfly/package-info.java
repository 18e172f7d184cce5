/** What the adapter can do more in a WildFly. */
package org.tasktube.ra.wildfly;
