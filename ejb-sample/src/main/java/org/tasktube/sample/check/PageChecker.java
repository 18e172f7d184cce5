package org.tasktube.sample.check;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import java.util.List;
import org.tasktube.Task;
import org.tasktube.TaskListener;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.links.Contents;
import org.tasktube.sample.links.Link;
import org.tasktube.sample.links.LinkKind;
import org.tasktube.sample.store.Pages;

/**
 * Checks one page or file per task. One transaction has the findings, the tasks for the links, and the ack of the task.
 * An exception rolls everything back, and the task is retried after the back-off given here. After its last attempt it
 * is buried, and the report says so. Each site has one task at a time, so the bean checks up to eight sites at once.
 */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Tubes.PAGES),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "8"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "4"),
            @ActivationConfigProperty(propertyName = "retryDelay", propertyValue = "1s"),
            @ActivationConfigProperty(propertyName = "retryMultiplier", propertyValue = "3"),
            @ActivationConfigProperty(propertyName = "maxRetryDelay", propertyValue = "1m")
        })
public class PageChecker implements TaskListener {

    @Inject
    private Fetcher fetcher;

    @Inject
    private Pages pages;

    @Inject
    private Frontier frontier;

    @Override
    public void onTask(Task task) throws Exception {
        Request request = Request.parse(task.text());
        // The database comes after the fetch: no connection waits for a slow host
        Answer answer = fetcher.fetch(request);
        if (answer.isTrouble()) {
            throw new HostTroubleException(request, answer.status());
        }
        Address address = Address.parse(request.url())
                .orElseThrow(() -> new IllegalArgumentException(request.url() + " is no address"));
        Contents contents = answer.contents(address);
        if (pages.visited(address, answer.visit(), contents)) {
            frontier.add(requests(contents.links()));
        }
    }

    private static List<Request> requests(List<Link> links) {
        return links.stream()
                .filter(link -> link.kind() != LinkKind.NO_ADDRESS)
                .map(link -> Request.of(link.kind(), link.url()))
                .toList();
    }
}
