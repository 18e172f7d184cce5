/** The check of a site: {@link org.tasktube.sample.check.LinkChecker} puts pages, a message-driven bean works them off. */
package org.tasktube.sample.check;
