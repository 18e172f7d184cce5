package org.tasktube.itest.app;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.ejb.SessionContext;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.util.function.Consumer;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/** An EJB that does things in a tube, and in its own table, in one transaction, and ends that in each way. */
@Stateless
public class Producer {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @Resource
    private SessionContext context;

    @EJB
    private Rows rows;

    /** In the transaction that there is, or in one of its own. */
    public void inTransaction(String tube, Consumer<Tube> work) {
        work(tube, work);
    }

    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void outsideTransactions(String tube, Consumer<Tube> work) {
        work(tube, work);
    }

    public void putWithRow(String tube, String text) {
        work(tube, t -> {
            t.put(text);
            rows.add(text);
        });
    }

    public void putWithRowAndThrow(String tube, String text) {
        putWithRow(tube, text);
        throw new IllegalStateException("thrown after put");
    }

    public void inTransactionRolledBack(String tube, Consumer<Tube> work) {
        work(tube, work);
        context.setRollbackOnly();
    }

    private void work(String tube, Consumer<Tube> work) {
        try (TubeConnection connection = tubes.getConnection()) {
            work.accept(connection.tube(tube));
        }
    }
}
