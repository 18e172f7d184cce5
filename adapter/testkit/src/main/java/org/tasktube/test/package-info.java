/**
 * Tests of applications without a server: {@link org.tasktube.test.TubeKit} is the adapter itself with real
 * transactions, {@link org.tasktube.test.TestTask} a task for a bean alone.
 */
package org.tasktube.test;
