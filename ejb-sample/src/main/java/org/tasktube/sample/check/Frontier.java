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

/** Where the pages that are known end: what is beyond is given a task and a row, both or neither, and only once. */
@ApplicationScoped
public class Frontier {

    @Inject
    private Pages pages;

    @Inject
    private PagesTube tube;

    /**
     * Gives each page on a checked site that is not known yet its task and its row, in the caller's transaction. Others that
     * find the same pages wait until that ends.
     */
    @Transactional(TxType.MANDATORY)
    public void add(Collection<Request> requests) {
        Map<String, Request> unknown = onCheckedSites(requests);
        unknown.keySet().removeAll(pages.known(unknown.keySet()));
        unknown.values().forEach(tube::put);
        // What somebody else was quicker to put has its row by now
        unknown.keySet().removeAll(pages.known(unknown.keySet()));
        pages.add(unknown.keySet(), Instant.now());
    }

    /** Sorted, so that two that find the same pages do not wait for each other in a ring. */
    private Map<String, Request> onCheckedSites(Collection<Request> requests) {
        Set<String> sites = pages.sites();
        Map<String, Request> wanted = new TreeMap<>();
        requests.stream()
                .filter(request -> sites.contains(request.site()))
                .forEach(request -> wanted.merge(request.url(), request, Frontier::whole));
        return wanted;
    }

    /** What is a page here and a file there is asked for whole. */
    private static Request whole(Request one, Request other) {
        return one.method() == Request.Method.GET ? one : other;
    }
}
