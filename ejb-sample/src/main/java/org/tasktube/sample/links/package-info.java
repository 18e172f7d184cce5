/** How are links and anchors found in pages and style sheets? This package has no I/O and needs no server. */
package org.tasktube.sample.links;
