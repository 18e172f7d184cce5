package org.tasktube.sample.check;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.store.Pages;

/** Where the pages that are known end: what is beyond is given a row and a task, both or neither, and only once. */
@ApplicationScoped
public class Frontier {

    @Inject
    private Pages pages;

    @Inject
    private PagesTube tube;

    /**
     * Gives each page on a checked site that is not known yet its row and its task, in the caller's transaction. Others
     * that find the same pages wait until that ends, so do not give it thousands.
     *
     * @return how many were new
     */
    @Transactional(TxType.MANDATORY)
    public int add(Collection<Request> requests) {
        Map<String, Request> wanted = onCheckedSites(requests);
        List<String> added = pages.add(wanted.keySet());
        tube.put(added.stream().map(wanted::get).toList());
        return added.size();
    }

    /** As {@link #add}, in a transaction of its own. */
    @Transactional(TxType.REQUIRES_NEW)
    public int addApart(Collection<Request> requests) {
        return add(requests);
    }

    private Map<String, Request> onCheckedSites(Collection<Request> requests) {
        Set<String> sites = pages.sites();
        Map<String, Request> wanted = new TreeMap<>();
        for (Request request : requests) {
            if (Address.parse(request.url())
                    .map(Address::site)
                    .filter(sites::contains)
                    .isPresent()) {
                wanted.merge(request.url(), request, Frontier::whole);
            }
        }
        return wanted;
    }

    /** What is a page here and a file there is asked for whole. */
    private static Request whole(Request one, Request other) {
        return one.method() == Request.Method.GET ? one : other;
    }
}
