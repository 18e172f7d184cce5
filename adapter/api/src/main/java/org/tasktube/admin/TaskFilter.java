package org.tasktube.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.admin.FilterCondition.Comparison;

/**
 * Conditions for tasks, all of which must hold, as one text:
 * {@code tube:orders state:buried error:Timeout* data.customer.id:42 age>10m attempts>=3}.
 *
 * <ul>
 *   <li>{@code field:value} holds if the field is the value. In a text, {@code *} stands for any text:
 *       {@code key:order-*}. So {@code key:*} holds for each task with a key.
 *   <li>{@code field:one,two} holds for either value.
 *   <li>{@code <}, {@code <=}, {@code >} and {@code >=} compare numbers and durations.
 *   <li>A {@code -} before the field negates the condition: {@code -key:*} holds for each task without a key.
 *   <li>A value with white space, a comma or a quote is written in quotes: {@code error:"no answer"}. Inside quotes,
 *       {@code \} takes the next character as it is.
 * </ul>
 *
 * <p>{@link FilterField} has the fields. A task without the field fits no condition on it, except a negated one.
 */
public final class TaskFilter {

    /** The maximum length of a filter's text, in characters. */
    public static final int MAX_LENGTH = 2_000;

    /** The filter without conditions, which each task fits. */
    public static final TaskFilter ALL = new TaskFilter(List.of());

    private final List<FilterCondition> conditions;

    private TaskFilter(List<FilterCondition> conditions) {
        this.conditions = conditions;
    }

    /**
     * Reads a filter.
     *
     * @throws FilterException if a condition is wrong, or the text has a NUL or is longer than {@value #MAX_LENGTH}
     *     characters
     */
    public static TaskFilter parse(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new FilterException(
                    0, "the filter has " + text.length() + " characters; it takes at most " + MAX_LENGTH);
        }
        int nul = text.indexOf('\0');
        if (nul >= 0) {
            throw new FilterException(nul, "the filter has a NUL, which no database keeps; leave it out");
        }
        return new TaskFilter(List.copyOf(new FilterParser(text).conditions()));
    }

    /** Returns a filter with one more condition. */
    public TaskFilter and(FilterCondition condition) {
        return new TaskFilter(
                Stream.concat(conditions.stream(), Stream.of(condition)).toList());
    }

    public List<FilterCondition> conditions() {
        return conditions;
    }

    /** Returns the conditions on a field. */
    public Stream<FilterCondition> on(FilterField field) {
        return conditions.stream().filter(condition -> condition.field() == field);
    }

    /** Returns whether a tube of this name can have tasks that fit. */
    public boolean fitsTube(String name) {
        return on(FilterField.TUBE).allMatch(condition -> isText(condition, Optional.of(name)) != condition.negated());
    }

    /** Returns the states that a task can be in to fit. */
    public Set<TaskState> states() {
        Set<TaskState> states = EnumSet.allOf(TaskState.class);
        on(FilterField.STATE)
                .forEach(condition -> states.removeIf(state -> isState(condition, state) == condition.negated()));
        return states;
    }

    /** Returns whether a condition is on the data. */
    public boolean needsData() {
        return conditions.stream().anyMatch(TaskFilter::isOnData);
    }

    private static boolean isOnData(FilterCondition condition) {
        return condition.field() == FilterField.DATA || condition.field() == FilterField.TEXT;
    }

    /** Returns the filter of the conditions that need no data. */
    public TaskFilter withoutData() {
        return new TaskFilter(
                conditions.stream().filter(condition -> !isOnData(condition)).toList());
    }

    /**
     * Returns whether a task fits all conditions. Its times are compared with {@link TaskMeta#now()}.
     *
     * @param data gives the data, and is called only if a condition needs it and all others hold
     */
    public boolean matches(FoundTask task, Supplier<TaskData> data) {
        return conditions.stream()
                        .filter(condition -> !isOnData(condition))
                        .allMatch(condition -> holds(condition, task) != condition.negated())
                && on(FilterField.DATA)
                        .allMatch(condition -> DataValues.isIn(condition, data.get()) != condition.negated())
                && on(FilterField.TEXT)
                        .allMatch(condition -> isAnywhere(condition, task.meta(), data) != condition.negated());
    }

    private static boolean holds(FilterCondition condition, FoundTask found) {
        TaskMeta task = found.meta();
        return switch (condition.field()) {
            case TUBE -> isText(condition, Optional.of(task.tube()));
            case STATE -> isState(condition, task.state());
            case ID -> isNumber(condition, task.id());
            case KEY -> isText(condition, task.uniqueKey());
            case UTUBE -> isText(condition, task.utube());
            case ERROR -> isError(condition, task.lastFailure());
            case FAILURE ->
                task.lastFailure()
                        .filter(failure -> condition
                                .values()
                                .contains(failure.fingerprint().id()))
                        .isPresent();
            case TYPE -> isText(condition, Optional.of(found.contentType()));
            case NODE -> isText(condition, found.server());
            case SESSION -> isText(condition, task.session().map(Objects::toString));
            case PRI -> isNumber(condition, task.pri());
            case ATTEMPTS -> isNumber(condition, task.attempts());
            case TAKEN -> isNumber(condition, task.takenCount());
            case BURIED -> isNumber(condition, task.buriedCount());
            case AGE -> isDuration(condition, Optional.of(Duration.between(task.created(), task.now())));
            case HELD -> isDuration(condition, between(task.takenAt(), Optional.of(task.now())));
            case DUE -> isDuration(condition, between(Optional.of(task.now()), task.event()));
            case TEXT, DATA -> throw new IllegalArgumentException("the data is not among the properties of a task");
        };
    }

    private static Optional<Duration> between(Optional<Instant> from, Optional<Instant> to) {
        return from.flatMap(start -> to.map(end -> Duration.between(start, end)));
    }

    private static boolean isState(FilterCondition condition, TaskState state) {
        return condition.values().stream().anyMatch(value -> FieldValues.state(value) == state);
    }

    private static boolean isText(FilterCondition condition, Optional<String> text) {
        return text.filter(present -> FieldValues.isOneOf(condition.values(), present))
                .isPresent();
    }

    private static boolean isNumber(FilterCondition condition, long number) {
        Comparison comparison = condition.comparison();
        return condition.values().stream()
                .anyMatch(value -> comparison.fits(Long.compare(number, FieldValues.number(condition, value))));
    }

    private static boolean isDuration(FilterCondition condition, Optional<Duration> duration) {
        Duration bound = FieldValues.duration(condition, condition.values().get(0));
        return duration.filter(present -> condition.comparison().fits(present.compareTo(bound)))
                .isPresent();
    }

    private static boolean isError(FilterCondition condition, Optional<TaskFailure> failure) {
        List<String> values = condition.values().stream().map(TaskFilter::lower).toList();
        return failure.filter(present -> Stream.concat(
                                Stream.of(present.message()),
                                Stream.of(present.type(), present.fingerprint().cause())
                                        .filter(type -> !type.isEmpty())
                                        .flatMap(type -> Stream.of(type, type.substring(type.lastIndexOf('.') + 1))))
                        .anyMatch(text -> FieldValues.isOneOf(values, lower(text))))
                .isPresent();
    }

    private static boolean isAnywhere(FilterCondition condition, TaskMeta task, Supplier<TaskData> data) {
        List<String> values = condition.values().stream()
                .map(value -> "*" + lower(value) + "*")
                .toList();
        Stream<String> properties = Stream.concat(
                Stream.of(Optional.of(Long.toString(task.id())), task.uniqueKey(), task.utube())
                        .flatMap(Optional::stream),
                task.lastFailure().stream()
                        .flatMap(failure ->
                                Stream.of(failure.type(), failure.fingerprint().cause(), failure.message())));
        return properties.anyMatch(text -> FieldValues.isOneOf(values, lower(text)))
                || FieldValues.isOneOf(values, lower(data.get().text()));
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TaskFilter that && conditions.equals(that.conditions);
    }

    @Override
    public int hashCode() {
        return conditions.hashCode();
    }

    /** Returns the text of the filter, from which {@link #parse} reads an equal one. */
    @Override
    public String toString() {
        return conditions.stream().map(FilterCondition::toString).collect(Collectors.joining(" "));
    }
}
