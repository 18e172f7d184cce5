/**
 * Searches of tasks, the servers, and the reasons why tasks wait or fail, for those who operate TaskTube.
 *
 * <p>{@code connection.unwrap(TaskAdmin.class)} gives access to it.
 */
package org.tasktube.admin;
