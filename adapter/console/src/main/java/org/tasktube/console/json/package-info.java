/** The answers as records, the bodies of requests, and values that are hidden. */
package org.tasktube.console.json;
