package org.tasktube.rules;

import java.util.List;

/** The rules under one heading, in the order of the page. */
interface RuleGroup {

    String heading();

    List<Rule> rules();
}
