package org.tasktube.node;

import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.TaskState;
import org.tasktube.admin.TubeWork.Beans;
import org.tasktube.admin.TubeWork.Moved;
import org.tasktube.store.sql.Flow;
import org.tasktube.tube.Counters;
import org.tasktube.tube.TubeEngine;

/**
 * The numbers that a server shows the others in its row: a text with its own number, and a word per tube. A word of another
 * form is of another version of the adapter, and left out.
 *
 * @param number how many lines the server has made; 0 for none
 * @param tubes the numbers of the tubes that have work
 */
record WorkLine(long number, List<OfTube> tubes) {

    private static final Pattern NUMBER = Pattern.compile("line:(\\d{1,18})");

    private static final Pattern WORD = Pattern.compile("\\d{1,9}:\\d{1,18}(:-?\\d{1,18}){8}(:\\d{1,9}){3}");

    /** What a server's transitions have changed in a tube: the moves, and by how much the number of tasks in each state. */
    record Changes(Moved moved, Map<TaskState, Long> tasks) {

        static final Changes NONE = new Changes(Moved.NONE, each(state -> 0L));

        private static Map<TaskState, Long> each(Function<TaskState, Long> tasks) {
            Map<TaskState, Long> all = new EnumMap<>(TaskState.class);
            Stream.of(TaskState.values()).forEach(state -> all.put(state, tasks.apply(state)));
            return all;
        }

        /** Returns those of this server since its start. */
        static Changes of(TubeEngine tube) {
            Counters counters = tube.runtime().counters();
            Flow.Numbers flow = counters.flow(tube.stored().id());
            return new Changes(new Moved(flow.puts(), flow.ends(), flow.failures()), each(counters::moved));
        }

        /** Returns the growth. */
        Changes since(Changes before) {
            return new Changes(
                    new Moved(
                            moved.puts() - before.moved.puts(),
                            moved.ended() - before.moved.ended(),
                            moved.failed() - before.moved.failed()),
                    each(state -> tasks.get(state) - before.tasks.get(state)));
        }
    }

    /**
     * The numbers of a tube.
     *
     * @param tube the id of the tube
     * @param epoch the number of the heartbeat since which the changes count
     */
    record OfTube(int tube, long epoch, Changes changes, Beans beans) {

        private static OfTube parse(String word) {
            Iterator<Long> fields =
                    Stream.of(word.split(":")).map(Long::valueOf).iterator();
            return new OfTube(
                    fields.next().intValue(),
                    fields.next(),
                    new Changes(
                            new Moved(fields.next(), fields.next(), fields.next()),
                            Changes.each(state -> fields.next())),
                    new Beans(
                            fields.next().intValue(),
                            fields.next().intValue(),
                            fields.next().intValue()));
        }

        @Override
        public String toString() {
            Moved moved = changes.moved;
            Stream<Long> moves = Stream.of(moved.puts(), moved.ended(), moved.failed());
            return tube + ":" + epoch + ":"
                    + Stream.concat(moves, changes.tasks.values().stream())
                            .map(String::valueOf)
                            .collect(Collectors.joining(":"))
                    + ":" + beans.active() + ":" + beans.instances() + ":" + beans.busy();
        }
    }

    static WorkLine parse(String text) {
        List<String> words = List.of(text.split(" "));
        return new WorkLine(
                words.stream()
                        .map(NUMBER::matcher)
                        .filter(Matcher::matches)
                        .map(word -> Long.valueOf(word.group(1)))
                        .findFirst()
                        .orElse(0L),
                words.stream()
                        .filter(word -> WORD.matcher(word).matches())
                        .map(OfTube::parse)
                        .toList());
    }

    Map<Integer, OfTube> byTube() {
        return tubes.stream().collect(Collectors.toMap(OfTube::tube, of -> of, (one, other) -> other));
    }

    @Override
    public String toString() {
        return Stream.concat(Stream.of("line:" + number), tubes.stream().map(OfTube::toString))
                .collect(Collectors.joining(" "));
    }
}
