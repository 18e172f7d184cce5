package org.tasktube.simulation;

import java.io.Serial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Runs actors one at a time, each on a thread that waits for its turn. At each wait of an actor, chance chooses the
 * next one of those that can go on. If none can, the time jumps to the next one that is due: nothing takes time but
 * waits. The same seed chooses the same. Public, because simulated classes are of another class loader.
 */
public final class Scheduler {

    private static final Duration STALL = Duration.ofSeconds(20);
    private static final long BEGIN = TimeUnit.DAYS.toNanos(1);
    private static final int MOST_AT_A_TIME = 10_000;
    private static final long FOR_EVER = Long.MAX_VALUE;
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "actor");
        thread.setDaemon(true);
        return thread;
    });

    @SuppressWarnings("ThreadLocalUsage") // one thread is one actor
    private static final ThreadLocal<Actor> CURRENT = new ThreadLocal<>();

    private static volatile Scheduler present;

    private final Random random;
    private final List<Actor> actors = new ArrayList<>();
    private final Semaphore turn = new Semaphore(0);
    private final List<String> notes = new ArrayList<>();
    private final Map<String, Duration> frozen = new HashMap<>();
    private final Map<String, Duration> wrongBy = new HashMap<>();
    private Throwable failure;
    private long now = BEGIN;
    private int steps;
    private int stepsAtTime;
    private long choices;

    /** Ends an actor whose server was killed; nothing of it may have an effect from then on. */
    private static final class Killed extends Error {

        @Serial
        private static final long serialVersionUID = 1;

        Killed() {
            super("its server was killed", null, false, false);
        }
    }

    /** What runs by itself. */
    public final class Actor {

        private final String name;
        private final String group;
        private final Semaphore turns = new Semaphore(0);
        private BooleanSupplier condition = () -> true;
        private long due = FOR_EVER;
        private boolean satisfied;
        private volatile boolean ended;
        private volatile Thread thread;
        private long frozenUntil;
        private boolean killed;

        private Actor(String name, String group) {
            this.name = name;
            this.group = group;
        }

        @Override
        public String toString() {
            return name + " " + List.of(thread.getStackTrace());
        }

        private boolean canRun() {
            if (killed) {
                return true;
            }
            if (frozenUntil > now) {
                return false;
            }
            satisfied = satisfied || condition.getAsBoolean();
            return satisfied || due <= now;
        }

        private long next() {
            return Math.max(frozenUntil, satisfied ? now : due);
        }

        private void run(Runnable body) {
            thread = Thread.currentThread();
            CURRENT.set(this);
            turns.acquireUninterruptibly();
            try {
                if (!killed) {
                    body.run();
                }
            } catch (Killed e) {
                note(name + " is over");
            } catch (RuntimeException | Error e) {
                failure = e;
            } finally {
                ended = true;
                CURRENT.remove();
                turn.release();
            }
        }

        /** Waits for a condition or a time. Returns whether the condition holds. */
        private boolean until(BooleanSupplier wanted, long nanos) {
            condition = wanted;
            satisfied = false;
            due = nanos == FOR_EVER ? FOR_EVER : now + Math.max(0, nanos);
            turn.release();
            turns.acquireUninterruptibly();
            if (killed) {
                throw new Killed();
            }
            return satisfied;
        }
    }

    public Scheduler(long seed) {
        random = new Random(seed);
        present = this;
    }

    public static Scheduler present() {
        return present;
    }

    public Random random() {
        return random;
    }

    public long now() {
        return now;
    }

    /** Returns the actors with this in their names that have not ended. */
    public List<String> actors(String part) {
        return actors.stream()
                .filter(actor -> !actor.ended && actor.name.contains(part))
                .map(actor -> actor.name)
                .toList();
    }

    public int steps() {
        return steps;
    }

    /** Returns a number that is the same for the same choices at the same times. */
    public long choices() {
        return choices;
    }

    /** Begins an actor; it runs when it is chosen. */
    public Actor start(String name, String group, Runnable body) {
        Actor actor = new Actor(name, group);
        actors.add(actor);
        THREADS.execute(() -> actor.run(body));
        return actor;
    }

    /** Sets by how much the clock of a group is wrong. */
    public void clock(String group, Duration by) {
        wrongBy.put(group, by);
    }

    Duration wrongBy() {
        Actor actor = CURRENT.get();
        return actor == null ? Duration.ZERO : wrongBy.getOrDefault(actor.group, Duration.ZERO);
    }

    /** The calling actor waits. Outside of an actor nothing waits. */
    public boolean until(BooleanSupplier wanted, long nanos) {
        Actor actor = CURRENT.get();
        return actor == null ? wanted.getAsBoolean() : actor.until(wanted, nanos);
    }

    public boolean until(BooleanSupplier wanted) {
        return until(wanted, FOR_EVER);
    }

    public void sleep(Duration time) {
        until(() -> false, time.toNanos());
    }

    /** Ends the actors of a group, each where it waits. */
    public void kill(String group) {
        actors.stream().filter(actor -> actor.group.equals(group)).forEach(actor -> actor.killed = true);
    }

    /** Ends all actors of a history that has failed. */
    public void abandon() {
        actors.forEach(actor -> actor.killed = true);
        stepsAtTime = steps;
        run(Duration.ZERO);
    }

    /** Writes down what happens, for those who read a history. */
    public void note(String what) {
        Actor actor = CURRENT.get();
        notes.add(String.format("%9.3f %s: %s", (now - BEGIN) / 1e9, actor == null ? "-" : actor.name, what));
    }

    /** Returns what happened; the same for the same seed. */
    public List<String> notes() {
        return notes;
    }

    /** A group stands still for a time, and does not know. */
    public void freeze(String group, Duration time) {
        frozen.merge(group, time, Duration::plus);
        actors.stream()
                .filter(actor -> actor.group.equals(group))
                .forEach(actor -> actor.frozenUntil = now + time.toNanos());
    }

    /** Returns for how long a group has stood still in all, or will have. */
    public Duration frozen(String group) {
        return frozen.getOrDefault(group, Duration.ZERO);
    }

    /** Runs actors until a time is over, or all have ended. */
    public void run(Duration time) {
        long end = now + time.toNanos();
        while (true) {
            actors.removeIf(actor -> actor.ended);
            List<Actor> able = actors.stream().filter(Actor::canRun).toList();
            if (!able.isEmpty()) {
                if (steps - stepsAtTime > MOST_AT_A_TIME) {
                    throw new IllegalStateException("the time does not go on; able: " + able);
                }
                resume(able.get(random.nextInt(able.size())));
                continue;
            }
            long next = actors.stream().mapToLong(Actor::next).min().orElse(FOR_EVER);
            if (next > end) {
                now = end;
                return;
            }
            now = Math.max(now, next);
            stepsAtTime = steps;
        }
    }

    private void resume(Actor actor) {
        steps++;
        choices = choices * 31 + actor.name.hashCode() + now;
        actor.turns.release();
        try {
            if (!turn.tryAcquire(STALL.toSeconds(), TimeUnit.SECONDS)) {
                StringBuilder trace = new StringBuilder("actor " + actor.name + " does not give back its turn:");
                for (StackTraceElement frame : actor.thread.getStackTrace()) {
                    trace.append("\n\tat ").append(frame);
                }
                throw new IllegalStateException(trace.toString());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        Throwable failed = failure;
        failure = null;
        if (failed != null) {
            throw new IllegalStateException(actor.name + " fails", failed);
        }
    }
}
