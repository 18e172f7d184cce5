/** Each act is a line of the log, also a refused one. */
package org.tasktube.console.audit;
