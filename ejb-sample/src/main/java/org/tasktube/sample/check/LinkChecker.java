package org.tasktube.sample.check;

import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import java.util.Collection;
import java.util.stream.Collectors;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.store.Found;
import org.tasktube.sample.store.Pages;

/** Checks whole sites: starts with one page per site, and follows the links inside the site. */
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
     * Adds sites to the check. A known page is not checked again.
     *
     * @param starts one page per site, where the check begins
     * @return the id of the check; if the same check is running, its id
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
