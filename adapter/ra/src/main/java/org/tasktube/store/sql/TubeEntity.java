package org.tasktube.store.sql;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.tasktube.History;
import org.tasktube.TakeLimits;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeMode;
import org.tasktube.store.FieldIndex;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.StoredTube;

/** A row of {@code tasktube_tube}. */
@Entity(name = "Tube")
@Table(name = "tasktube_tube")
class TubeEntity {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Integer id;

    @Column(nullable = false, length = 32, unique = true)
    private String name;

    @Column(nullable = false, length = 32)
    private String type;

    @Column(nullable = false)
    private int pri;

    @Column(name = "ttl_ms")
    private Long ttl;

    @Column(name = "ttr_ms")
    private Long ttr;

    @Column(name = "delay_ms", nullable = false)
    private long delay;

    private Integer capacity;

    @Column(nullable = false)
    private boolean temporary;

    @Column(name = "sub_queues", nullable = false)
    private boolean subQueues;

    @Column(nullable = false, length = 1)
    private char mode;

    @Column(name = "mode_by", nullable = false)
    private String modeBy;

    @Column(name = "mode_at", nullable = false)
    private Instant modeAt;

    @Column(name = "mode_reason", nullable = false)
    private String modeReason;

    @Column(nullable = false, length = 1)
    private char history;

    @Column(name = "history_ms", nullable = false)
    private long historyRetention;

    @Column(name = "strict_order", nullable = false)
    private boolean strictOrder;

    @Column(name = "max_taken")
    private Integer maxTaken;

    @Column(name = "max_rate")
    private Integer maxRate;

    @Column(name = "rate_ms")
    private Long rate;

    /** The number of changes of the defaults. */
    @Column(nullable = false)
    private int changes;

    /** The searchable fields, one per line. */
    @Column(nullable = false, length = 1000)
    private String searchable;

    @Column(name = "index_id", nullable = false)
    private long index;

    /** Since when the index lacks tasks; null if it has all. */
    @Column(name = "index_since")
    private Instant indexSince;

    /** Returns the limits of a row, whose values are null without a limit. */
    static TakeLimits limits(boolean strictOrder, Integer maxTaken, Integer maxRate, Long rate) {
        return new TakeLimits(
                strictOrder,
                maxTaken == null ? OptionalInt.empty() : OptionalInt.of(maxTaken),
                maxRate == null
                        ? Optional.empty()
                        : Optional.of(new TakeLimits.Rate(maxRate, Duration.ofMillis(rate))));
    }

    StoredTube toStored() {
        TubeDefinition definition = new TubeDefinition(
                name,
                type,
                pri,
                Optional.ofNullable(ttl).map(Duration::ofMillis),
                Optional.ofNullable(ttr).map(Duration::ofMillis),
                Duration.ofMillis(delay),
                capacity == null ? OptionalInt.empty() : OptionalInt.of(capacity),
                temporary,
                History.of(history),
                Duration.ofMillis(historyRetention),
                searchable.lines().toList(),
                limits(strictOrder, maxTaken, maxRate, rate));
        ModeSetting setting = new ModeSetting(TubeMode.of(mode), modeBy, modeAt, modeReason);
        return new StoredTube(id, definition, subQueues, setting, changes, new FieldIndex(index, indexSince == null));
    }
}
