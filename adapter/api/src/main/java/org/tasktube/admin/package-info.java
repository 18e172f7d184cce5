/**
 * Searches of tasks, for those who operate TaskTube.
 *
 * <p>{@code connection.unwrap(TaskAdmin.class)} gives access to it.
 */
package org.tasktube.admin;
