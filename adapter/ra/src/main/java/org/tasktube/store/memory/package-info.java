/** Temporary tubes: tasks in the memory of one server, which follow transactions as the rows of a database do. */
package org.tasktube.store.memory;
