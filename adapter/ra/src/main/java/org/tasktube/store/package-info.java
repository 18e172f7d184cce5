/** Where tasks are kept: {@link org.tasktube.store.TaskStore}, its values, and nothing of any one database. */
package org.tasktube.store;
