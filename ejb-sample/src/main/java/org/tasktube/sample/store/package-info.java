/** The sample's own tables, whose rows commit together with its tasks. */
package org.tasktube.sample.store;
