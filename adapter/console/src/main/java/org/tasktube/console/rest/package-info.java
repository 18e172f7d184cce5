/** The resources of the REST interface, one class per noun. */
package org.tasktube.console.rest;
