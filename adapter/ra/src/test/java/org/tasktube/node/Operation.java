package org.tasktube.node;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.TaskState;
import org.tasktube.store.Transition;
import org.tasktube.store.Transition.By;

/** The operations on a task, with the transitions that each may cause: its result in each state follows from these. */
enum Operation {
    TAKE("take", Transition.TAKE),
    ACK("ack", Transition.ACK),
    ACK_RESULT("ack with a result", Transition.ACK_RESULT),
    ACK_ALL("ackAll", Transition.ACK),
    RELEASE("release", Transition.RELEASE),
    RELEASE_DELAY("release, delay", Transition.RELEASE_DELAYED),
    RELEASE_TTL("release, ttl", Transition.RELEASE),
    RELEASE_BOTH("release, delay and ttl", Transition.RELEASE_DELAYED),
    REQUEUE("requeue", Transition.REQUEUE),
    TOUCH("touch", Transition.TOUCH),
    HEARTBEAT("heartbeat", Transition.HEARTBEAT),
    BURY("bury", Transition.BURY, Transition.BURY_UNHELD),
    BURY_ID("bury by id", Transition.BURY_UNHELD),
    KICK("kick", Transition.KICK),
    DIG("dig", Transition.DIG),
    DELETE("delete", Transition.DELETE),
    RELEASE_ALL("releaseAll", Transition.RELEASE_ALL),
    TRUNCATE("truncate", Transition.TRUNCATE),
    PEEK("peek"),
    META("meta"),
    RESULT("result"),
    AWAIT("await"),
    WATCH("watch");

    /** The states that an operation can find a task in. */
    enum Found {
        READY(TaskState.READY),
        DELAYED(TaskState.DELAYED),
        /** By the session and the take that the caller names. */
        TAKEN(TaskState.TAKEN),
        /** By another session. */
        OTHERS(TaskState.TAKEN),
        /** By the caller's session, in a later take. */
        STALE(TaskState.TAKEN),
        BURIED(TaskState.BURIED),
        DONE(TaskState.DONE),
        GONE(null);

        private final TaskState state;

        Found(TaskState state) {
            this.state = state;
        }

        Optional<TaskState> state() {
            return Optional.ofNullable(state);
        }
    }

    static final String NOT_TAKEN = "NotTaken";
    static final String ANOTHER = "Another";
    static final String NOT_FOUND = "NotFound";
    static final String WRONG_STATE = "WrongState";
    static final String GONE = "gone";
    private static final String UNCHANGED = "–";

    private final String text;

    @SuppressWarnings("ImmutableEnumChecker") // List.of makes an unmodifiable one
    private final List<Transition> transitions;

    Operation(String text, Transition... transitions) {
        this.text = text;
        this.transitions = List.of(transitions);
    }

    /** Returns the state after it, or the error. */
    String result(Found found) {
        Optional<Transition> made = transitions.stream()
                .filter(transition -> isMade(transition, found))
                .findFirst();
        return made.isPresent() ? name(made.get().to()) : refusal(found).orElse(name(found.state()));
    }

    private static boolean isMade(Transition transition, Found found) {
        return transition.by() == By.HOLDER
                ? found == Found.TAKEN
                : found.state().filter(transition.from()::contains).isPresent();
    }

    private Optional<String> refusal(Found found) {
        if (found == Found.GONE) {
            return isBy(By.HOLDER) || isBy(By.ID) || this == AWAIT || this == WATCH
                    ? Optional.of(NOT_FOUND)
                    : Optional.empty();
        }
        if (isBy(By.HOLDER) && found.state().equals(Optional.of(TaskState.TAKEN))) {
            return Optional.of(ANOTHER);
        }
        if (isBy(By.ID)) {
            // To bury what is buried is no error
            boolean done = (this == BURY || this == BURY_ID) && found == Found.BURIED;
            return done ? Optional.empty() : Optional.of(WRONG_STATE);
        }
        return isBy(By.HOLDER) ? Optional.of(NOT_TAKEN) : Optional.empty();
    }

    private boolean isBy(By by) {
        return transitions.stream().anyMatch(transition -> transition.by() == by);
    }

    private static String name(Optional<TaskState> state) {
        return state.map(TaskState::name).orElse(GONE);
    }

    /** Returns the table of all operations in all states, in Markdown. */
    static String table() {
        Stream<String> rows = Arrays.stream(values())
                .map(operation ->
                        row(operation.text, Arrays.stream(Found.values()).map(operation::cell)));
        return header("operation", Arrays.stream(Found.values()).map(Operation::heading))
                + rows.collect(Collectors.joining());
    }

    private static String heading(Found found) {
        return switch (found) {
            case OTHERS, STALE, GONE -> found.name().toLowerCase(Locale.ROOT);
            default -> found.name();
        };
    }

    private String cell(Found found) {
        String result = result(found);
        boolean stays =
                transitions.isEmpty() || transitions.stream().noneMatch(transition -> isMade(transition, found));
        return stays && result.equals(name(found.state())) && !isBy(By.ID) ? UNCHANGED : result;
    }

    /** Returns the table of all transitions, in Markdown. */
    static String transitions() {
        Stream<String> rows = Arrays.stream(Transition.values())
                .map(transition -> row(
                        transition.name(),
                        Stream.of(
                                transition.by().name(),
                                states(transition),
                                name(transition.to()),
                                transition.deadline().name(),
                                transition.event().name())));
        return header("transition", Stream.of("by", "from", "to", "next deadline", "event"))
                + rows.collect(Collectors.joining());
    }

    private static String states(Transition transition) {
        return Arrays.stream(TaskState.values())
                .filter(transition.from()::contains)
                .map(TaskState::name)
                .collect(Collectors.joining(", "));
    }

    private static String header(String first, Stream<String> others) {
        List<String> headings = others.toList();
        return row(first, headings.stream()) + row("---", headings.stream().map(heading -> "---"));
    }

    private static String row(String first, Stream<String> cells) {
        return "| " + first + " | " + cells.collect(Collectors.joining(" | ")) + " |\n";
    }
}
