package org.tasktube.store;

import java.util.Collection;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Ids as one text, in which successive ones are a range: {@code 5 7-9}. */
public final class IdRanges {

    private IdRanges() {}

    /** Returns the text of ids, in their order. */
    public static String write(Collection<Long> ids) {
        List<Long> sorted = ids.stream().sorted().distinct().toList();
        StringJoiner text = new StringJoiner(" ");
        int begin = 0;
        for (int i = 0; i < sorted.size(); i++) {
            boolean isEnd = i + 1 == sorted.size() || sorted.get(i + 1) != sorted.get(i) + 1;
            if (isEnd) {
                text.add(begin == i ? sorted.get(i).toString() : sorted.get(begin) + "-" + sorted.get(i));
                begin = i + 1;
            }
        }
        return text.toString();
    }

    /** Returns the ids of a text. */
    public static List<Long> read(String text) {
        return Stream.of(text.split(" "))
                .filter(part -> !part.isEmpty())
                .flatMap(part -> {
                    String[] ends = part.split("-", 2);
                    return LongStream.rangeClosed(Long.parseLong(ends[0]), Long.parseLong(ends[ends.length - 1]))
                            .boxed();
                })
                .toList();
    }
}
