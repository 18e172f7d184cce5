/** How does the sample store its pages? The rows of its own tables commit together with its tasks. */
package org.tasktube.sample.store;
