/** How does the adapter use the abilities that only WildFly has? */
package org.tasktube.ra.wildfly;
