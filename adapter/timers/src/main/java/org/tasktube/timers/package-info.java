/**
 * How does an EJB timer wake the adapter at the next deadline? The archive tasktube-timers.jar contains this package.
 */
package org.tasktube.timers;
