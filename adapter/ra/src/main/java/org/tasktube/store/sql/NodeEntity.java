package org.tasktube.store.sql;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;

/** A row of {@code tasktube_node}: a live server, or one that died lately. */
@Entity(name = "Node")
@Table(name = "tasktube_node")
class NodeEntity {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Integer id;

    @Column(nullable = false)
    String name;

    @Column(name = "seen_at", nullable = false)
    Instant seenAt;

    /** True for a dead server, whose tasks another server releases; never set back. */
    @Column(nullable = false)
    boolean dead;
}
