package org.tasktube.sample.store;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.tasktube.sample.links.Address;

/** A site whose pages are checked. */
@Entity
@Table(name = "link_site")
public class Site {

    /** Scheme, host and port. */
    @Id
    @Column(length = Address.MAX_SITE)
    private String site;

    protected Site() {}

    Site(String site) {
        this.site = site;
    }
}
