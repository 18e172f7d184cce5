package org.tasktube.console.rest;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.tasktube.History;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.TakeLimits;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskOrder;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeModes;
import org.tasktube.admin.EditedTask;
import org.tasktube.admin.TubeChange;
import org.tasktube.console.json.Body;
import org.tasktube.console.json.SentData;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

/** The values of the API in the bodies of requests. */
final class Sent {

    private static final String REASON = "reason";

    private Sent() {}

    /** Returns a reason within its bounds; empty if there is none. */
    static Optional<String> reason(Body body) {
        Optional<String> reason = body.text(REASON).filter(text -> !text.isBlank());
        reason.ifPresent(text -> {
            if (text.length() > TubeModes.MAX_MODE_TEXT || text.chars().anyMatch(Character::isISOControl)) {
                throw new ProblemException(
                        Kind.BODY,
                        "the member 'reason' takes 1 to " + TubeModes.MAX_MODE_TEXT
                                + " characters without control characters");
            }
        });
        return reason;
    }

    /** Fails unless a duration is in its bounds. */
    static void check(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new ProblemException(
                    Kind.BODY, "the member '" + name + "' is " + value + "; it takes " + min + " to " + max);
        }
    }

    /** Fails unless a number is from 1 to its bound. */
    static void check(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw new ProblemException(Kind.BODY, "the member '" + name + "' is " + value + "; it takes 1 to " + max);
        }
    }

    static String requiredReason(Body body) {
        return reason(body)
                .orElseThrow(
                        () -> new ProblemException(Kind.BODY, "the member 'reason' is missing; say why in a sentence"));
    }

    static TubeDefinition definition(Body body) {
        OptionalInt pri = body.number("pri");
        TubeDefinition definition = new TubeDefinition(
                body.required("name"),
                body.required("type"),
                pri.orElse(0),
                body.duration("ttl"),
                body.duration("ttr"),
                body.duration("delay").orElse(Duration.ZERO),
                body.number("capacity"),
                body.flag("temporary"),
                body.choice("history", History.class).orElse(History.OFF),
                body.duration("historyRetention").orElse(TubeDefinition.HISTORY_RETENTION),
                body.list("searchable").orElse(List.of()),
                new TakeLimits(
                        body.flag("strict"), body.number("maxTaken"), rate(body).orElse(Optional.empty())));
        body.end();
        return definition;
    }

    static TubeChange change(Body body) {
        TubeChange change = new TubeChange(
                body.number("pri"),
                body.duration("ttl"),
                body.duration("ttr"),
                body.duration("delay"),
                body.choice("history", History.class),
                body.duration("historyRetention"),
                body.list("searchable"),
                body.value("strict").map(sent -> body.flag("strict")),
                body.value("maxTaken").map(sent -> orNone(body.number("maxTaken"))),
                rate(body));
        body.end();
        if (change.equals(TubeChange.NONE)) {
            throw new ProblemException(
                    Kind.BODY,
                    "the body changes nothing; add 'pri', 'ttl', 'ttr', 'delay', 'history', 'historyRetention',"
                            + " 'searchable', 'strict', 'maxTaken' or 'maxRate'");
        }
        return change;
    }

    private static OptionalInt orNone(OptionalInt number) {
        return number.equals(OptionalInt.of(0)) ? OptionalInt.empty() : number;
    }

    /** Returns the limit of takes in a time; an empty one if the body has 0 for none, and empty if it has no such member. */
    private static Optional<Optional<TakeLimits.Rate>> rate(Body body) {
        OptionalInt takes = body.number("maxRate");
        Optional<Duration> period = body.duration("ratePeriod");
        if (takes.isPresent() && takes.getAsInt() != 0 && period.isEmpty()) {
            throw new ProblemException(Kind.BODY, "the member 'maxRate' needs a 'ratePeriod'; add one, such as 1s");
        } else if (takes.isEmpty() && period.isPresent()) {
            throw new ProblemException(Kind.BODY, "the member 'ratePeriod' needs a 'maxRate'; add one, or 0 for none");
        }
        return takes.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        orNone(takes).isEmpty()
                                ? Optional.empty()
                                : Optional.of(new TakeLimits.Rate(takes.getAsInt(), period.get())));
    }

    /** Puts the task of a body. With a key, an existing task is kept unless the body says otherwise. */
    static Task put(Tube tube, Body body) {
        PutOptions options = options(body);
        Optional<String> key = body.text("key");
        Optional<OnConflict> onConflict = body.choice("onConflict", OnConflict.class);
        TaskData data = SentData.in(body)
                .orElseThrow(() -> new ProblemException(
                        Kind.BODY, "the member 'data' is missing; send an empty text for a task that carries nothing"));
        body.end();
        if (key.isEmpty() && onConflict.isPresent()) {
            throw new ProblemException(Kind.BODY, "the member 'onConflict' needs a 'key'; add one, or leave it out");
        }
        return key.map(unique -> tube.putUnique(unique, data, options, onConflict.orElse(OnConflict.KEEP)))
                .orElseGet(() -> tube.put(data, options));
    }

    /** Returns the edited form of a task. Absent values stay as they are. Null as data may be a mistake, so it is refused. */
    static EditedTask edited(Body body) {
        for (String name : List.of("data", "base64")) {
            if (body.isNull(name)) {
                throw new ProblemException(
                        Kind.BODY, "the member '" + name + "' is null; leave it out to keep the data of the task");
            }
        }
        Optional<TaskData> data = SentData.in(body);
        Optional<Map<String, String>> headers = body.value("headers").map(sent -> body.texts("headers"));
        EditedTask edited = new EditedTask(
                data,
                body.number("pri"),
                body.duration("ttl"),
                body.duration("ttr"),
                body.duration("delay"),
                body.text("utube"),
                headers,
                body.flag("keepOld"));
        body.end();
        return edited;
    }

    private static PutOptions options(Body body) {
        return new PutOptions(
                body.number("pri"),
                body.duration("ttl"),
                body.duration("ttr"),
                body.duration("delay"),
                body.text("utube"),
                body.flag("urgent"),
                body.texts("headers"),
                body.duration("uniqueFor"),
                TaskOrder.NONE);
    }
}
