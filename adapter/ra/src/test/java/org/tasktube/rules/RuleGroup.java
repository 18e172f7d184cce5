package org.tasktube.rules;

import java.util.List;

/** The rules under one heading of SEMANTICS.md, in its order. */
interface RuleGroup {

    String heading();

    List<Rule> rules();
}
