package org.tasktube.node;

import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.TestDatabase;

@OnDatabase(TestDatabase.H2)
class SharedSessionsOnH2Test extends SharedSessionsTest.Rules {}
