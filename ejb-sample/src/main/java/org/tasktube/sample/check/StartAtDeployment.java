package org.tasktube.sample.check;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.Timeout;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.sample.links.Address;

/**
 * Creates the tubes, and begins a check of the pages in the system property {@value #PROPERTY}, separated by commas.
 */
@Singleton
@Startup
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class StartAtDeployment {

    static final String PROPERTY = "link-checker.urls";

    private static final Logger LOG = Logger.getLogger(StartAtDeployment.class.getName());
    private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");
    private static final Duration AGAIN = Duration.ofSeconds(1);

    @Resource
    private TimerService timers;

    @Inject
    private Tubes tubes;

    @Inject
    private LinkChecker checker;

    @PostConstruct
    void begin() {
        // not here: the adapter may still wait for its database
        in(Duration.ZERO);
    }

    @Timeout
    void start() {
        try {
            tubes.create();
            List<Address> starts = starts();
            if (!starts.isEmpty()) {
                checker.check(starts);
            }
        } catch (AdapterNotRunningException e) {
            LOG.log(Level.INFO, "{0}; trying to start again in {1}", new Object[] {e.getMessage(), AGAIN});
            in(AGAIN);
        }
    }

    private static List<Address> starts() {
        return COMMA.splitAsStream(System.getProperty(PROPERTY, "").strip())
                .filter(url -> !url.isEmpty())
                .map(Address::start)
                .toList();
    }

    private void in(Duration delay) {
        timers.createSingleActionTimer(delay.toMillis(), new TimerConfig(null, false));
    }
}
