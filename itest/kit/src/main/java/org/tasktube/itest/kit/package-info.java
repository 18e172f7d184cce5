/** A WildFly and a PostgreSQL as processes of their own, for tests, the demo and the benchmark. */
package org.tasktube.itest.kit;
