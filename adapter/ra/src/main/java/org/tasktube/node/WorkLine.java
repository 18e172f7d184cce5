package org.tasktube.node;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.admin.TubeWork.Beans;
import org.tasktube.admin.TubeWork.Moved;

/**
 * The numbers that a server shows the others in its row: a text with a word per tube. A word of another form is of another
 * version of the adapter, and left out.
 *
 * @param tubes the numbers of the tubes that have work
 */
record WorkLine(List<OfTube> tubes) {

    private static final Pattern WORD = Pattern.compile("\\d{1,9}(:\\d{1,18}){4}(:\\d{1,9}){3}");

    /**
     * The numbers of a tube.
     *
     * @param tube the id of the tube
     * @param epoch the number of the heartbeat since which {@code moved} counts
     */
    record OfTube(int tube, long epoch, Moved moved, Beans beans) {

        private static OfTube parse(String word) {
            long[] fields =
                    Stream.of(word.split(":")).mapToLong(Long::parseLong).toArray();
            return new OfTube(
                    (int) fields[0],
                    fields[1],
                    new Moved(fields[2], fields[3], fields[4]),
                    new Beans((int) fields[5], (int) fields[6], (int) fields[7]));
        }

        @Override
        public String toString() {
            return tube + ":" + epoch + ":" + moved.puts() + ":" + moved.ended() + ":" + moved.failed() + ":"
                    + beans.active() + ":" + beans.instances() + ":" + beans.busy();
        }
    }

    static WorkLine parse(String text) {
        return new WorkLine(Stream.of(text.split(" "))
                .filter(word -> WORD.matcher(word).matches())
                .map(OfTube::parse)
                .toList());
    }

    Map<Integer, OfTube> byTube() {
        return tubes.stream().collect(Collectors.toMap(OfTube::tube, of -> of, (one, other) -> other));
    }

    @Override
    public String toString() {
        return tubes.stream().map(OfTube::toString).collect(Collectors.joining(" "));
    }
}
