package org.tasktube.bench;

import java.util.List;

/** The cost of an addition is measured by turns with {@link #NONE}. */
enum Extra {
    NONE,
    /** The tube keeps a history of all moves. */
    HISTORY,
    /** A console is open: it reads the events. */
    CONSOLE;

    /** What is measured second finds the database as the first has left it, so they take turns. */
    static List<Extra> order(int round) {
        return switch (round % 3) {
            case 0 -> List.of(NONE, HISTORY, CONSOLE);
            case 1 -> List.of(CONSOLE, NONE, HISTORY);
            default -> List.of(HISTORY, CONSOLE, NONE);
        };
    }
}
