/** Which problems does an operator have now? The rules read statistics only, and cost no query. */
package org.tasktube.console.overview;
