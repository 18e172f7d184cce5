/** Which user may do which act, and which requests and answers are safe for a browser? */
package org.tasktube.console.security;
