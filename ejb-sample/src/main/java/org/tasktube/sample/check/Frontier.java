package org.tasktube.sample.check;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.tasktube.sample.store.Pages;

/** The edge of the known pages. Each page beyond gets a task and a row, both or neither, and only once. */
@ApplicationScoped
public class Frontier {

    @Inject
    private Pages pages;

    @Inject
    private PagesTube tube;

    /**
     * Adds a task and a row for each unknown page on a checked site, in the caller's transaction. Other beans that find
     * the same pages wait for the end of that transaction.
     */
    @Transactional(TxType.MANDATORY)
    public void add(Collection<Request> requests) {
        Map<String, Request> unknown = onCheckedSites(requests);
        unknown.keySet().removeAll(pages.known(unknown.keySet()));
        unknown.values().forEach(tube::put);
        // A page that another bean put first has its row by now
        unknown.keySet().removeAll(pages.known(unknown.keySet()));
        pages.add(unknown.keySet(), Instant.now());
    }

    /** Sorts the requests, so that two beans that find the same pages do not deadlock. */
    private Map<String, Request> onCheckedSites(Collection<Request> requests) {
        Set<String> sites = pages.sites();
        Map<String, Request> wanted = new TreeMap<>();
        requests.stream()
                .filter(request -> sites.contains(request.site()))
                .forEach(request -> wanted.merge(request.url(), request, Frontier::whole));
        return wanted;
    }

    /** Chooses GET if the target is a page in one link and a file in another. */
    private static Request whole(Request one, Request other) {
        return one.method() == Request.Method.GET ? one : other;
    }
}
