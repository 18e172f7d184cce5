package org.tasktube.sample.check;

import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import java.util.Collection;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.store.Pages;

/** Checks whole sites: starts with a page of each, and follows the links that stay on them. */
@Stateless
public class LinkChecker {

    @Inject
    private Pages pages;

    @Inject
    private Frontier frontier;

    @Inject
    private PagesTube tube;

    /**
     * Adds sites to those that are checked. A page that is known already is not checked again.
     *
     * @param starts where to start, a page of each site
     * @return how many of them were new
     */
    public int check(Collection<Address> starts) {
        tube.create();
        pages.addSites(starts.stream().map(Address::site).toList());
        return frontier.add(starts.stream()
                .map(address -> new Request(Request.Method.GET, address.toString()))
                .toList());
    }

    /** Forgets all sites, pages and tasks. */
    public void clear() {
        tube.create();
        tube.truncate();
        pages.clear();
    }
}
