package org.tasktube.bench;

import java.util.EnumMap;
import java.util.Map;
import org.tasktube.bench.app.Side;

/** All that was measured. */
final class Figures {

    final Map<Side, Series> put = both();
    final Map<Side, Series> drain = both();
    final Map<Side, Series> flow = both();
    final Map<Side, Series> medianLatency = both();
    final Map<Side, Series> slowLatency = both();
    final Series drainOfFew = new Series();
    final Series drainOfMany = new Series();
    final Series fewSubQueues = new Series();
    final Series plainInTens = new Series();
    final Series plainInHundreds = new Series();
    final Series manySubQueuesInTens = new Series();
    final Series plainBesideManyInTens = new Series();
    final Series manySubQueues = new Series();
    final Series plainBesideMany = new Series();
    final Series takeBehindBusy = new Series();
    final Series takeOfPlain = new Series();
    double idleStatements;
    long heapOfNone;
    long heapOfMany;

    private static Map<Side, Series> both() {
        Map<Side, Series> both = new EnumMap<>(Side.class);
        for (Side side : Side.values()) {
            both.put(side, new Series());
        }
        return both;
    }
}
