package org.tasktube.itest.app;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of the application's own. */
@Entity
@Table(name = "app_row")
public class Row {

    @Id
    @GeneratedValue
    private Long id;

    private String text;

    protected Row() {}

    public Row(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
