package org.tasktube.sample.store;

/**
 * The numbers of a site's visited pages and files.
 *
 * @param site scheme, host and port
 * @param pages the number of HTML pages
 * @param files the number of other files
 * @param links the number of distinct links on its pages, links to other sites included
 * @param bytes the number of read bytes
 */
public record SiteTotals(String site, long pages, long files, long links, long bytes) {}
