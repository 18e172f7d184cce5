package org.tasktube.admin;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The fields that a condition of a {@link TaskFilter} can name. */
public enum FilterField {
    /** The name of the tube. */
    TUBE(Kind.TEXT, "tube:orders"),
    /** The state of the task: ready, delayed, taken, buried or done. */
    STATE(Kind.STATE, "state:buried"),
    /** The id of the task. */
    ID(Kind.NUMBER, "id:4711"),
    /** The unique key. A DONE task has none. */
    KEY(Kind.TEXT, "key:order-7781"),
    /** The sub-queue. */
    UTUBE(Kind.TEXT, "utube:customer-17"),
    /** The last failure: the class of the exception with or without its package, or the message. Ignores case. */
    ERROR(Kind.TEXT, "error:Timeout*"),
    /** The kind of the last failure: the id of its {@link org.tasktube.Fingerprint}, exactly. */
    FAILURE(Kind.FINGERPRINT, "failure:2f9c01d45be7a836"),
    /** The content type of the data. */
    TYPE(Kind.TEXT, "type:application/json"),
    /** The server that holds the task. Only TAKEN tasks have one. */
    NODE(Kind.TEXT, "node:app-2"),
    /** The session that holds the task. Only TAKEN tasks have one. */
    SESSION(Kind.TEXT, "session:2f9c*"),
    /** The priority, from 0, smaller first. */
    PRI(Kind.NUMBER, "pri<10"),
    /** The number of attempts since the put or the last kick. */
    ATTEMPTS(Kind.NUMBER, "attempts>=3"),
    /** The number of times that the task was taken. */
    TAKEN(Kind.NUMBER, "taken>1"),
    /** The number of times that the task was buried. */
    BURIED(Kind.NUMBER, "buried>0"),
    /** The time since the put. */
    AGE(Kind.DURATION, "age>10m"),
    /** The time since the task was taken. Only TAKEN tasks have one. */
    HELD(Kind.DURATION, "held>5m"),
    /** The time until the next deadline: the end of a delay, ttr, ttl, or of the ttl of a result. */
    DUE(Kind.DURATION, "due<1h"),
    /**
     * A word in the id, the unique key, the sub-queue, the last failure, or the data as text. Ignores case, and looks for
     * the word at any place. A word without a field means this one: {@code printer} is {@code text:printer}.
     */
    TEXT(Kind.TEXT, "text:printer"),
    /**
     * The data. {@code data.customer.id} is a value inside JSON: each part after a dot is a name in an object, or an
     * index in an array, from 0. {@code data} alone is all data as text.
     */
    DATA(Kind.DATA, "data.customer.id:42");

    enum Kind {
        TEXT,
        STATE,
        NUMBER,
        DURATION,
        FINGERPRINT,
        DATA
    }

    private final Kind kind;
    private final String example;

    FilterField(Kind kind, String example) {
        this.kind = kind;
        this.example = example;
    }

    Kind kind() {
        return kind;
    }

    /** Returns the field's name in a filter, in lower case. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns a condition as an example. */
    public String example() {
        return example;
    }

    static Optional<FilterField> of(String label) {
        return Arrays.stream(values())
                .filter(field -> field.label().equals(label))
                .findFirst();
    }

    static String labels() {
        return Arrays.stream(values()).map(FilterField::label).collect(Collectors.joining(", "));
    }
}
