package org.tasktube.itest.shop;

import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import java.util.concurrent.TimeUnit;
import org.tasktube.Task;
import org.tasktube.TaskListener;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/** Prints the catalogue that comes with an order, page by page, and stops if the order is cancelled. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "prints"))
public class Prints implements TaskListener {

    private static final int PAGES = 40;

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @Inject
    private Book book;

    @Override
    public void onTask(Task task) throws InterruptedException {
        try (TubeConnection connection = tubes.getConnection()) {
            Tube prints = connection.tube(task.tube());
            for (int page = 1; page <= PAGES && !prints.isCancelled(task); page++) {
                TimeUnit.MILLISECONDS.sleep(100);
                prints.progress(task, page, PAGES, "pages");
            }
            book.write((prints.isCancelled(task) ? "stopped " : "printed ") + task.text());
        }
    }
}
