/** Links and anchors in pages and style sheets; no I/O and no server. */
package org.tasktube.sample.links;
