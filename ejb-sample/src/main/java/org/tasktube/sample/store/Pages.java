package org.tasktube.sample.store;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.links.Contents;

/** Writes down which pages there are and what was found on them, in the caller's transaction. */
@ApplicationScoped
@Transactional(TxType.MANDATORY)
public class Pages {

    @PersistenceContext
    private EntityManager entities;

    /** The server's default datasource, as for the entities; in a transaction both have the same connection. */
    @Resource
    private DataSource datasource;

    /** Made by the container. */
    protected Pages() {}

    Pages(EntityManager entities, DataSource datasource) {
        this.entities = entities;
        this.datasource = datasource;
    }

    /** The sites whose pages are checked. */
    public Set<String> sites() {
        return Set.copyOf(
                entities.createQuery("select s.site from Site s", String.class).getResultList());
    }

    /** Adds sites that are to be checked, if they are not yet. */
    public void addSites(Collection<String> sites) {
        try (Connection connection = datasource.getConnection()) {
            new KnownPages(connection).addSites(sites);
        } catch (SQLException e) {
            throw new IllegalStateException("sites cannot be added", e);
        }
    }

    /** Adds the pages that are not known yet, and returns these. Another bean may be about to add the same ones. */
    public List<String> add(Collection<String> urls) {
        if (urls.isEmpty()) {
            return List.of();
        }
        try (Connection connection = datasource.getConnection()) {
            return new KnownPages(connection).add(urls, OffsetDateTime.now(ZoneOffset.UTC));
        } catch (SQLException e) {
            throw new IllegalStateException("pages cannot be added", e);
        }
    }

    /**
     * Writes down what came of a visit.
     *
     * @return whether the page is known
     */
    public boolean visited(Address address, Visit visit, Contents contents) {
        Page page = entities.find(Page.class, Page.id(address.toString()));
        if (page == null) {
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
