package org.tasktube.sample.report;

import java.util.List;

/**
 * A fault of the links to one target.
 *
 * @param target the target of the links
 * @param reason the host's answer, or the reason why it was not asked
 * @param pages the pages with these links, sorted; empty for a start page of the check
 */
public record Finding(FindingKind kind, String target, String reason, List<String> pages) {}
