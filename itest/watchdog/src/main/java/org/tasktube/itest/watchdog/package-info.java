/** Ends a run of tests that hangs. */
package org.tasktube.itest.watchdog;
