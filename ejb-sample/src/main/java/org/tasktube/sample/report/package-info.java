/** The report of a check, as HTML, as text, and over REST. */
package org.tasktube.sample.report;
