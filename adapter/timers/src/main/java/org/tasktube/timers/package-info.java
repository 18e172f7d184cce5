/** The EJB timer that wakes the adapter at the next deadline, deployed as tasktube-timers.jar. */
package org.tasktube.timers;
