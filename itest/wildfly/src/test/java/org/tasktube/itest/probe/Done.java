package org.tasktube.itest.probe;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** What a task of the probe writes: a row that can be there only once. */
@Entity
@Table(name = "probe_done")
public class Done {

    @Id
    private String text;

    protected Done() {}

    Done(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }
}
