/** How are values written in log messages and errors? */
package org.tasktube.text;
