package org.tasktube.sample.store;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.tasktube.sample.links.Address;

/** The pages and sites that have a row, over a connection in the caller's transaction. */
final class KnownPages {

    private static final String KNOWN = "select id from link_page where id = any(?)";

    private static final NewRows PAGES = new NewRows("""
            insert into link_page (id, url, site, queued_at)
            select cast(? as uuid), cast(? as varchar), cast(? as varchar), cast(? as timestamp with time zone)
            where not exists (select 1 from link_page where id = cast(? as uuid))""");

    private static final NewRows SITES = new NewRows("""
            insert into link_site (site)
            select cast(? as varchar) where not exists (select 1 from link_site where site = cast(? as varchar))""");

    private final Connection connection;

    KnownPages(Connection connection) {
        this.connection = connection;
    }

    /** Adds the pages that are not known, and returns these. */
    List<String> add(Collection<String> urls, OffsetDateTime now) throws SQLException {
        // sorted: see NewRows
        Set<String> sorted = new TreeSet<>(urls);
        // Nearly all links lead to what is known long since, and one look is cheaper than an insert for each
        Set<UUID> known = known(sorted);
        List<String> unknown =
                sorted.stream().filter(url -> !known.contains(Page.id(url))).toList();
        return PAGES.insert(connection, unknown, (statement, url) -> bind(statement, url, now));
    }

    /** Adds the sites that are not known. */
    void addSites(Collection<String> sites) throws SQLException {
        SITES.insert(connection, List.copyOf(new TreeSet<>(sites)), (statement, site) -> {
            statement.setString(1, site);
            statement.setString(2, site);
        });
    }

    private Set<UUID> known(Set<String> urls) throws SQLException {
        Array ids = connection.createArrayOf("uuid", urls.stream().map(Page::id).toArray());
        try (PreparedStatement statement = connection.prepareStatement(KNOWN)) {
            statement.setArray(1, ids);
            try (ResultSet rows = statement.executeQuery()) {
                Set<UUID> known = new HashSet<>();
                while (rows.next()) {
                    known.add(rows.getObject(1, UUID.class));
                }
                return known;
            }
        } finally {
            ids.free();
        }
    }

    private static void bind(PreparedStatement statement, String url, OffsetDateTime now) throws SQLException {
        UUID id = Page.id(url);
        statement.setObject(1, id);
        statement.setString(2, url);
        statement.setString(3, Address.parse(url).orElseThrow().site());
        statement.setObject(4, now);
        statement.setObject(5, id);
    }
}
