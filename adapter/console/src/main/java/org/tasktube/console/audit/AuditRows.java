package org.tasktube.console.audit;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.admin.AuditAct;
import org.tasktube.admin.TaskAdmin;

/** Writes the rows of acts that no transaction of an act has. */
@ApplicationScoped
public class AuditRows {

    @Resource(name = "tasktube")
    private TubeConnectionFactory factory;

    @Resource
    private ManagedExecutorService executor;

    private RowQueue queue;

    AuditRows() {}

    AuditRows(TubeConnectionFactory factory) {
        this.factory = factory;
        this.queue = new RowQueue(this::write, Runnable::run);
    }

    @PostConstruct
    void open() {
        queue = new RowQueue(this::write, executor);
    }

    /**
     * Writes the row of a refused act. If no connection is free, the row is written later than the answer. If the
     * database does not take it, the line of the log is all that is kept.
     */
    public void add(AuditAct act) {
        queue.add(act);
    }

    private void write(AuditAct act) {
        try (TubeConnection connection = factory.getConnection()) {
            connection.unwrap(TaskAdmin.class).record(act);
        }
    }

    @PreDestroy
    void close() {
        queue.close();
    }
}
