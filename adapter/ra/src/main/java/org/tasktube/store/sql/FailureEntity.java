package org.tasktube.store.sql;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.tasktube.Fingerprint;

/** A row of {@code tasktube_failure}: a kind of failures. */
@Entity(name = "Failure")
@Table(name = "tasktube_failure")
class FailureEntity {

    @Id
    private long fingerprint;

    @Column(nullable = false, length = Fingerprint.MAX_TYPE)
    private String type;

    @Column(nullable = false, length = Fingerprint.MAX_TYPE)
    private String cause;

    @Column(nullable = false, length = Fingerprint.MAX_FRAME)
    private String frame;

    @Column(nullable = false, length = Fingerprint.MAX_MESSAGE)
    private String message;

    /** The time of the first failure. */
    @SuppressWarnings("UnusedVariable") // checked against the table with the rest
    @Column(name = "first_at", nullable = false)
    private Instant firstAt;

    /** The time when a check found no task of the kind; null if it found one. */
    @SuppressWarnings("UnusedVariable") // checked against the table with the rest
    @Column(name = "unused_since")
    private Instant unusedSince;

    Fingerprint toFingerprint() {
        return new Fingerprint(Fingerprint.hex(fingerprint), type, cause, frame, message);
    }
}
