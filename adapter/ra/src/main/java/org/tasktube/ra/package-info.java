/** The resource adapter: reads what was configured, and wires outbound and inflow to one queue over one store. */
package org.tasktube.ra;
