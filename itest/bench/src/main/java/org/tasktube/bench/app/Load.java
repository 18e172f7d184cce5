package org.tasktube.bench.app;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.tasktube.PutOptions;

/** Those who put. */
@ApplicationScoped
public class Load {

    private static final int THREADS = 4;
    private static final int DATA_SIZE = 256;
    private static final long BETWEEN_MILLIS = 2;

    @Resource
    private ManagedThreadFactory threadFactory;

    @EJB
    private TubeProducer tubeProducer;

    @EJB
    private JdbcProducer jdbcProducer;

    @Inject
    private SmallTable small;

    @Inject
    private OwnStatements own;

    @EJB
    private ArtemisProducer artemisProducer;

    @Inject
    private DbScheduler dbScheduler;

    @Inject
    private JobRunrQueue jobRunr;

    @Inject
    private Beanstalkd beanstalkd;

    @Inject
    private JdbcDelivery jdbcDelivery;

    @Inject
    private Meter meter;

    /** Puts so many tasks on four threads and returns the nanoseconds it took. */
    long put(Side side, int tasks) throws InterruptedException, ExecutionException {
        long start = System.nanoTime();
        List<FutureTask<Void>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int share = tasks / THREADS + (i < tasks % THREADS ? 1 : 0);
            FutureTask<Void> work = new FutureTask<>(() -> putAll(side, share));
            threadFactory.newThread(work).start();
            threads.add(work);
        }
        for (FutureTask<Void> thread : threads) {
            thread.get();
        }
        return System.nanoTime() - start;
    }

    private Void putAll(Side side, int tasks) {
        byte[] data = data();
        for (int i = 0; i < tasks; i++) {
            put(side, data);
        }
        return null;
    }

    private void put(Side side, byte[] data) {
        if (side.isTaskTube()) {
            tubeProducer.put(side.tube(), data, options(side));
            return;
        }
        switch (side) {
            case BEANSTALKD -> beanstalkd.put(data);
            case DB_SCHEDULER -> dbScheduler.put(data);
            case JOBRUNR -> jobRunr.put(data);
            case ARTEMIS -> artemisProducer.put(data);
            default -> {
                jdbcProducer.put(queue(side), data);
                jdbcDelivery.wake();
            }
        }
    }

    private static PutOptions options(Side side) {
        return side == Side.TASKTUBE_SUB
                ? PutOptions.defaults()
                        .utube("utube-" + ThreadLocalRandom.current().nextInt(Side.SUB_QUEUES))
                : PutOptions.defaults();
    }

    /** Starts what no message-driven bean does. */
    void startDelivery(Side side) {
        switch (side) {
            case DB_SCHEDULER -> dbScheduler.start();
            case JOBRUNR -> jobRunr.start();
            case BEANSTALKD -> beanstalkd.start();
            case SMALL_BATCH -> jdbcDelivery.startBatches();
            default -> jdbcDelivery.start(queue(side), side.writesRow());
        }
    }

    void stopDelivery(Side side) throws InterruptedException {
        switch (side) {
            case DB_SCHEDULER -> dbScheduler.stop();
            case JOBRUNR -> jobRunr.stop();
            case BEANSTALKD -> beanstalkd.stop();
            default -> jdbcDelivery.stop();
        }
    }

    private PlainQueue queue(Side side) {
        return side == Side.OWN_STATEMENTS ? own : small;
    }

    private static byte[] data() {
        byte[] data = new byte[DATA_SIZE];
        ThreadLocalRandom.current().nextBytes(data);
        return data;
    }

    /** Puts one task after the other; the nanoseconds from each put's return until a bean began with it, in order. */
    long[] latencies(Side side, int tasks) throws InterruptedException, ExecutionException {
        Callable<long[]> work = () -> latenciesHere(side, tasks);
        FutureTask<long[]> result = new FutureTask<>(work);
        threadFactory.newThread(result).start();
        return result.get();
    }

    /** A bean may begin before put has returned to its caller: that is no latency at all. */
    private long[] latenciesHere(Side side, int tasks) throws InterruptedException {
        byte[] data = data();
        long[] nanos = new long[tasks];
        for (int i = 0; i < tasks; i++) {
            meter.expect(1);
            put(side, data);
            long returned = System.nanoTime();
            nanos[i] = Math.max(0, meter.awaitFirst() - returned);
            // so that the ack does not compete with the next put
            TimeUnit.MILLISECONDS.sleep(BETWEEN_MILLIS);
        }
        Arrays.sort(nanos);
        return nanos;
    }
}
