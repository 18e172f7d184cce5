/** How does one trace lead from a put to the bean that works on the task? */
package org.tasktube.tracing;
