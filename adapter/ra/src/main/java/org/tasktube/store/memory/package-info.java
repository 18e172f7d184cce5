/** Temporary tubes: tasks in the memory of one server, which follow transactions as if they were rows. */
package org.tasktube.store.memory;
