package org.tasktube.sample.check;

import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import java.util.Collection;
import java.util.stream.Collectors;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.store.Found;
import org.tasktube.sample.store.Pages;

/** Checks whole sites: starts with a page of each, and follows the links that stay on them. */
@Stateless
public class LinkChecker {

    @Inject
    private Pages pages;

    @Inject
    private Found found;

    @Inject
    private Tubes tubes;

    @Inject
    private PagesTube pagesTube;

    /**
     * Adds sites to those that are checked. A page that is known already is not checked again.
     *
     * @param starts where to start, a page of each site
     * @return the id of the check, of the one that is under way if it is the same
     */
    public long check(Collection<Address> starts) {
        tubes.create();
        String lines = starts.stream().map(Address::toString).collect(Collectors.joining("\n"));
        return tubes.with(Tubes.CHECKS, tube -> tube.putUnique(lines)).id();
    }

    public Progress progress() {
        long buried = pagesTube.buried();
        return Progress.of(buried, found.totals());
    }

    /** Forgets all sites, pages and tasks. */
    public void clear() {
        tubes.create();
        tubes.truncate();
        pages.clear();
    }
}
