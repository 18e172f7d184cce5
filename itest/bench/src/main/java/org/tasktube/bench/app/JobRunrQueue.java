package org.tasktube.bench.app;

import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Base64;
import javax.sql.DataSource;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.BackgroundJobRequest;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.jsonb.JsonbJsonMapper;

import static org.jobrunr.server.BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration;

/** A peer: JobRunr with eight workers, which polls as often as it can. It has no JTA. */
@ApplicationScoped
public class JobRunrQueue {

    private static final int WORKERS = 8;
    private static final Duration POLL = Duration.ofSeconds(5);

    @Resource(lookup = "java:jboss/datasources/BenchDS")
    private DataSource dataSource;

    /** A job with the data as text. */
    public static final class Job implements JobRequest {

        private String data = "";

        /** For JSON. */
        public Job() {
            // Its data is set afterwards
        }

        Job(byte[] data) {
            this.data = Base64.getEncoder().encodeToString(data);
        }

        public String getData() {
            return data;
        }

        public void setData(String data) {
            this.data = data;
        }

        @Override
        public Class<Handler> getJobRequestHandler() {
            return Handler.class;
        }
    }

    /** Runs jobs. */
    @ApplicationScoped
    public static class Handler implements JobRequestHandler<Job> {

        @Inject
        private Meter meter;

        @Override
        public void run(Job job) {
            meter.began();
        }
    }

    void open() {
        JobActivator beans = new JobActivator() {
            @Override
            public <T> T activateJob(Class<T> type) {
                return CDI.current().select(type).get();
            }
        };
        JobRunr.configure()
                .useJsonMapper(new JsonbJsonMapper())
                .useJobActivator(beans)
                .useStorageProvider(SqlStorageProviderFactory.using(dataSource))
                .useBackgroundJobServer(
                        usingStandardBackgroundJobServerConfiguration()
                                .andWorkerCount(WORKERS)
                                .andPollInterval(POLL),
                        true)
                .initialize();
        stop();
    }

    void put(byte[] data) {
        BackgroundJobRequest.enqueue(new Job(data));
    }

    void start() {
        JobRunr.getBackgroundJobServer().resumeProcessing();
    }

    void stop() {
        JobRunr.getBackgroundJobServer().pauseProcessing();
    }

    @PreDestroy
    void close() {
        JobRunr.destroy();
    }
}
