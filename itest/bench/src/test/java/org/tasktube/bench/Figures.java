package org.tasktube.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.tasktube.bench.app.Side;

/** All that was measured. */
final class Figures {

    final Map<Side, Series> put = each(Side.class);
    final Map<Side, Series> drain = each(Side.class);
    final Map<Side, Series> flow = each(Side.class);
    final Map<Side, Series> medianLatency = each(Side.class);
    final Map<Side, Series> slowLatency = each(Side.class);
    final Map<Work, Map<Side, List<Effort.PerTask>>> efforts = new EnumMap<>(Work.class);
    final Map<Extra, Series> extra = each(Extra.class);
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

    /** What the sides are compared in. */
    enum Work {
        PUT,
        DRAIN,
        FLOW
    }

    Figures() {
        for (Work work : Work.values()) {
            efforts.put(work, new EnumMap<>(Side.class));
        }
    }

    void add(Work work, Side side, Effort.PerTask effort) {
        efforts.get(work).computeIfAbsent(side, first -> new ArrayList<>()).add(effort);
    }

    private static <K extends Enum<K>> Map<K, Series> each(Class<K> kind) {
        Map<K, Series> each = new EnumMap<>(kind);
        for (K key : kind.getEnumConstants()) {
            each.put(key, new Series());
        }
        return each;
    }
}
