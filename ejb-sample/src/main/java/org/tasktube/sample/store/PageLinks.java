package org.tasktube.sample.store;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.List;
import java.util.UUID;
import org.tasktube.sample.links.Contents;
import org.tasktube.sample.links.Link;
import org.tasktube.sample.links.PackedLines;

/** The links and anchors of a page. They are not in the page's own row, because those rows are counted often. */
@Entity
@Table(name = "link_page_links")
public class PageLinks {

    /** The id of the page. */
    @Id
    private UUID id;

    @Column(nullable = false, length = PackedLines.MAX_BYTES)
    private byte[] links;

    @Column(nullable = false, length = PackedLines.MAX_BYTES)
    private byte[] anchors;

    protected PageLinks() {}

    PageLinks(UUID id, Contents contents) {
        this.id = id;
        this.links = PackedLines.pack(contents.links().stream().map(Link::line));
        this.anchors = PackedLines.pack(contents.anchors().stream());
    }

    static List<Link> links(byte[] packed) {
        return PackedLines.unpack(packed).stream().map(Link::parse).toList();
    }
}
