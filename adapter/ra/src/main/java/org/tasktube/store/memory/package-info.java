/**
 * How are the tasks of temporary tubes kept? In the memory of one server, where they follow transactions as the rows of
 * a database do.
 */
package org.tasktube.store.memory;
