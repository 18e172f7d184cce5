/** How is the result of a check reported, as HTML, as text, and over REST? */
package org.tasktube.sample.report;
