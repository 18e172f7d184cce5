package org.tasktube.sample.check;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskListener;
import org.tasktube.TaskResult;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.links.LinkKind;
import org.tasktube.sample.store.Pages;

/**
 * Runs a check: begins it, looks at its progress at an interval, and returns its result when no page is waiting. A
 * second beginning has no effect, so the server can be killed at any time. Each look counts as an attempt, so attempts
 * have no limit.
 */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Tubes.CHECKS),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "1"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "0"),
            @ActivationConfigProperty(propertyName = "retryMultiplier", propertyValue = "1")
        })
public class SiteChecker implements TaskListener {

    private static final ReleaseOptions SOON = ReleaseOptions.defaults().delay(Duration.ofMillis(500));

    @Inject
    private Pages pages;

    @Inject
    private Frontier frontier;

    @Inject
    private LinkChecker checker;

    @Inject
    private Tubes tubes;

    @Override
    public void onTask(Task check) {
        List<Address> starts = check.text().lines().map(Address::start).toList();
        pages.addSites(starts.stream().map(Address::site).toList());
        frontier.add(starts.stream()
                .map(address -> Request.of(LinkKind.PAGE, address.toString()))
                .toList());
        Progress progress = checker.progress();
        tubes.use(check.tube(), tube -> {
            if (progress.finished()) {
                tube.ack(check, TaskResult.completed(progress));
            } else {
                tube.release(check, SOON);
            }
        });
    }
}
