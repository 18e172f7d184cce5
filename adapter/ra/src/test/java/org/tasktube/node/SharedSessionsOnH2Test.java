package org.tasktube.node;

import org.junit.jupiter.api.Tag;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.TestDatabase;

@Tag("large")
@OnDatabase(TestDatabase.H2)
class SharedSessionsOnH2Test extends SharedSessionsTest.Rules {}
