/** How values are written in logs and errors. */
package org.tasktube.text;
