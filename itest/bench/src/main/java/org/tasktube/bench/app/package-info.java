/**
 * What runs in the server: the same work done with TaskTube and, for reference, with the adapter's own statements by
 * plain JDBC, each in EJBs with a JTA transaction a task. It is controlled over HTTP.
 */
package org.tasktube.bench.app;
