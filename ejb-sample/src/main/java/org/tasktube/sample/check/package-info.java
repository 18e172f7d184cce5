/**
 * How does the sample check a site? {@link org.tasktube.sample.check.LinkChecker} puts pages, and a message-driven bean
 * works on them.
 */
package org.tasktube.sample.check;
