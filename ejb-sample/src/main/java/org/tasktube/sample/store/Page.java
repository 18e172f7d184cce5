package org.tasktube.sample.store;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.tasktube.sample.links.Address;

/** A page or file on a checked site: waiting at first, then with the result of its visit. */
@Entity
@Table(name = "link_page")
public class Page {

    private static final int MAX_TEXT = 300;
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");

    /**
     * The id, derived from the url. Beans that find the same link agree on it without a query, and it is short to
     * index.
     */
    @Id
    private UUID id;

    @Column(nullable = false, length = Address.MAX_LENGTH)
    private String url;

    @Column(nullable = false, length = Address.MAX_SITE)
    private String site;

    @Column(name = "queued_at", nullable = false)
    private Instant queuedAt;

    @Column(name = "checked_at")
    private Instant checkedAt;

    @Column
    private Integer status;

    @Column(name = "content_type", length = MAX_TEXT)
    private String contentType;

    @Column
    private Boolean html;

    @Column(length = MAX_TEXT)
    private String title;

    @Column(length = Address.MAX_LENGTH)
    private String location;

    @Column
    private Long bytes;

    @Column
    private Long millis;

    @Column
    private Integer links;

    protected Page() {}

    Page(String url, Instant queuedAt) {
        this.id = id(url);
        this.url = url;
        this.site = Address.parse(url).orElseThrow().site();
        this.queuedAt = queuedAt;
    }

    public static UUID id(String url) {
        return UUID.nameUUIDFromBytes(url.getBytes(StandardCharsets.UTF_8));
    }

    void visited(Visit visit, String withTitle, int withLinks, Instant at) {
        checkedAt = at;
        status = visit.status();
        contentType = shown(visit.contentType(), MAX_TEXT);
        html = visit.html();
        title = shown(withTitle, MAX_TEXT);
        location = visit.location().map(to -> shown(to, Address.MAX_LENGTH)).orElse(null);
        bytes = (long) visit.bytes();
        millis = visit.time().toMillis();
        links = withLinks;
    }

    boolean isChecked() {
        return checkedAt != null;
    }

    public String url() {
        return url;
    }

    /** Returns scheme, host and port. */
    public String site() {
        return site;
    }

    public int status() {
        return status;
    }

    /** Returns the target of a redirect, as the host gave it. */
    public Optional<String> location() {
        return Optional.ofNullable(location);
    }

    public String title() {
        return title;
    }

    public long millis() {
        return millis;
    }

    /** Removes control characters. PostgreSQL takes no NUL in text, and the others would disturb a report. */
    private static String shown(String text, int max) {
        String clean = CONTROL.matcher(text).replaceAll(" ");
        return clean.substring(0, Math.min(clean.length(), max));
    }
}
