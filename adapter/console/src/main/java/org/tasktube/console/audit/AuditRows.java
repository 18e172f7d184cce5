package org.tasktube.console.audit;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.admin.AuditAct;
import org.tasktube.admin.TaskAdmin;

/** Writes the rows of acts that no transaction of an act has. */
@ApplicationScoped
public class AuditRows {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory factory;

    AuditRows() {}

    AuditRows(TubeConnectionFactory factory) {
        this.factory = factory;
    }

    /** Writes the row of a refused act. If the database does not take it, the line of the log is all that is kept. */
    public void add(AuditAct act) {
        try (TubeConnection connection = factory.getConnection()) {
            connection.unwrap(TaskAdmin.class).record(act);
        } catch (TaskTubeException e) {
            Log.LOG.rowMissing(e.getMessage());
        }
    }
}
