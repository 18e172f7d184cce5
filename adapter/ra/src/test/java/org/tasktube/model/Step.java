package org.tasktube.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One step of a sequence. What it is done to is chosen by its own dice among what exists when it runs, so that a step
 * means something whichever steps before it are left out.
 */
record Step(Op op, int actor, int tube, long dice) {

    private static final int LEAST = 8;
    private static final int MOST = 30;

    /** What can be done, and how often it is. */
    enum Op {
        BEGIN(8),
        COMMIT(6),
        ROLLBACK(3),
        ADVANCE(6),
        SWEEP(4),
        PUT(16),
        PUT_UNIQUE(6),
        PUT_ALL(3),
        REPLACE(2),
        CLAIM(18),
        ACK(5),
        ACK_ALL(4),
        DONE(3),
        RELEASE(4),
        RELEASE_LATER(6),
        REQUEUE(4),
        BURY(4),
        BURY_UNHELD(4),
        TOUCH(3),
        HEARTBEAT(2),
        FAIL(4),
        RETURN_UNSTARTED(3),
        KICK(4),
        DIG(2),
        DELETE(3),
        RELEASE_ALL(1),
        RELEASE_SESSION(2),
        TRUNCATE(1),
        FIND(4),
        FIRST(4),
        PAGE(2),
        STATES(1),
        COUNTS(1),
        TUBES(2),
        /** For the end of a sequence. */
        END_ALL(0),
        CLAIM_ALL(0),
        KICK_ALL(0),
        FILL(0);

        private final int weight;

        Op(int weight) {
            this.weight = weight;
        }
    }

    /** Returns a random sequence of operations. */
    static List<Step> sequence(Random random) {
        List<Op> lot = new ArrayList<>();
        for (Op op : Op.values()) {
            for (int i = 0; i < op.weight; i++) {
                lot.add(op);
            }
        }
        List<Step> steps = new ArrayList<>();
        int length = LEAST + random.nextInt(MOST - LEAST + 1);
        for (int i = 0; i < length; i++) {
            Op op = lot.get(random.nextInt(lot.size()));
            steps.add(new Step(op, random.nextInt(Model.ACTORS), random.nextInt(5) / 4, random.nextLong()));
        }
        return steps;
    }

    /** Shows the order of all that is there, what was buried too, and that as many tasks fit as there are slots. */
    static final List<Step> END = List.of(
            new Step(Op.END_ALL, 0, 0, 0),
            new Step(Op.SWEEP, 0, 0, 0),
            new Step(Op.SWEEP, 0, 0, 0),
            new Step(Op.CLAIM_ALL, 0, 0, 0),
            new Step(Op.KICK_ALL, 0, 0, 0),
            new Step(Op.CLAIM_ALL, 0, 0, 0),
            new Step(Op.FILL, 0, 0, 0));
}
