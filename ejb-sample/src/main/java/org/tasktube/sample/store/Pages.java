package org.tasktube.sample.store;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.links.Contents;

/** Stores the pages and their contents, in the caller's transaction. */
@ApplicationScoped
@Transactional(TxType.MANDATORY)
public class Pages {

    @PersistenceContext
    private EntityManager entities;

    /** For the container. */
    protected Pages() {}

    Pages(EntityManager entities) {
        this.entities = entities;
    }

    /** Returns the checked sites. */
    public Set<String> sites() {
        return Set.copyOf(
                entities.createQuery("select s.site from Site s", String.class).getResultList());
    }

    /** Adds sites to the check, unless they are in it. */
    public void addSites(Collection<String> sites) {
        Set<String> there = sites();
        sites.stream()
                .filter(site -> !there.contains(site))
                .distinct()
                .forEach(site -> entities.persist(new Site(site)));
    }

    /**
     * Returns the known pages among these, visited or waiting. Nearly all links lead to known pages, so one query asks
     * for all. It joins them, because H2 would compare each page with all of an array.
     */
    public Set<String> known(Set<String> urls) {
        List<?> known = entities.createNativeQuery("""
                        select p.url from unnest(cast(:ids as uuid array)) wanted(id) join link_page p on p.id = wanted.id
                        """, String.class)
                .setParameter("ids", urls.stream().map(Page::id).toArray(UUID[]::new))
                .getResultList();
        return known.stream().map(String.class::cast).collect(Collectors.toSet());
    }

    /** Adds unknown pages. */
    public void add(Collection<String> urls, Instant now) {
        urls.forEach(url -> entities.persist(new Page(url, now)));
    }

    /**
     * Stores the result of a visit.
     *
     * @return false if the page was visited before, or removed during the visit
     */
    public boolean visited(Address address, Visit visit, Contents contents) {
        Page page = entities.find(Page.class, Page.id(address.toString()));
        if (page == null || page.isChecked()) {
            return false;
        }
        page.visited(visit, contents.title(), contents.links().size(), Instant.now());
        if (visit.html() || !contents.links().isEmpty()) {
            entities.persist(new PageLinks(Page.id(address.toString()), contents));
        }
        return true;
    }

    /** Forgets all sites and pages. */
    public void clear() {
        entities.createQuery("delete from PageLinks").executeUpdate();
        entities.createQuery("delete from Page").executeUpdate();
        entities.createQuery("delete from Site").executeUpdate();
    }
}
