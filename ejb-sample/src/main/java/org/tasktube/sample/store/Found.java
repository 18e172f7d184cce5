package org.tasktube.sample.store;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.Transactional;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.tasktube.sample.links.Link;
import org.tasktube.sample.links.PackedLines;

/** Reads the findings. Lists that are as long as the site are read page by page, and never held as a whole. */
@ApplicationScoped
@Transactional
public class Found {

    @PersistenceContext
    private EntityManager entities;

    /** For the container. */
    protected Found() {}

    Found(EntityManager entities) {
        this.entities = entities;
    }

    public Totals totals() {
        return entities.createQuery(
                        "select new org.tasktube.sample.store.Totals("
                                + "count(p), count(p.checkedAt), min(p.queuedAt), max(p.checkedAt)) from Page p",
                        Totals.class)
                .getSingleResult();
    }

    /** Returns the numbers of each site, by name. */
    public List<SiteTotals> sites() {
        return entities.createQuery(
                        "select new org.tasktube.sample.store.SiteTotals(p.site, sum(case when p.html then 1 else 0 end),"
                                + " sum(case when p.html then 0 else 1 end), sum(p.links), sum(p.bytes))"
                                + " from Page p where p.checkedAt is not null group by p.site order by p.site",
                        SiteTotals.class)
                .getResultList();
    }

    /** Returns the pages of a site with the slowest answers, the slowest first. */
    public List<Page> slowest(String site, int max) {
        return entities.createQuery(
                        "select p from Page p where p.site = :site and p.checkedAt is not null"
                                + " order by p.millis desc, p.url",
                        Page.class)
                .setParameter("site", site)
                .setMaxResults(max)
                .getResultList();
    }

    /** Returns the pages and files whose status is not a success. */
    public List<Page> refused() {
        return entities.createQuery("select p from Page p where p.status >= 300 order by p.url", Page.class)
                .getResultList();
    }

    /** Passes each page, redirect or style sheet with its links. */
    public void forEachLinks(BiConsumer<String, List<Link>> pages) {
        forEach("l.links", "p.links > 0", (url, packed) -> pages.accept(url, PageLinks.links(packed)));
    }

    /** Passes each HTML page with its anchors. */
    public void forEachAnchors(BiConsumer<String, Set<String>> pages) {
        forEach(
                "l.anchors",
                "p.html and p.status = 200",
                (url, packed) -> pages.accept(url, new HashSet<>(PackedLines.unpack(packed))));
    }

    private void forEach(String column, String where, BiConsumer<String, byte[]> pages) {
        try (Stream<Object[]> rows = entities.createQuery(
                        "select p.url, " + column + " from Page p join PageLinks l on l.id = p.id where " + where,
                        Object[].class)
                .setHint("org.hibernate.fetchSize", 500)
                .getResultStream()) {
            rows.forEach(row -> pages.accept((String) row[0], (byte[]) row[1]));
        }
    }
}
