package org.tasktube.node;

import org.junit.jupiter.api.Tag;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.TestDatabase;

@OnDatabase(TestDatabase.H2)
@Tag("full")
class SharedSessionsOnH2Test extends SharedSessionsTest.Rules {}
