package org.tasktube.console.rest;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import java.util.List;
import org.tasktube.console.json.TubeRow;
import org.tasktube.console.json.Views;
import org.tasktube.console.live.Frame;
import org.tasktube.console.live.FrameSource;
import org.tasktube.console.overview.Problems.Found;

/** The event with the overview and all tubes. */
@ApplicationScoped
public class OverviewFrames implements FrameSource {

    private static final String EVENT = "overview";
    private static final Jsonb JSON = JsonbBuilder.create();

    @Inject
    private Overviews overviews;

    /** The data of the event. */
    public record Live(Views.Overview overview, List<TubeRow> tubes) {}

    @Override
    public Frame frame() {
        return frame(overviews.read());
    }

    /**
     * Returns the event. Four values are no change: the time of the answer, that of the numbers of work, the age of the
     * oldest READY task, and the text of a problem. Otherwise a task that waits would send an event each second. The rows
     * have all else that the texts say.
     */
    static Frame frame(Views.Overview read) {
        Views.Overview timeless = new Views.Overview(
                null,
                read.adapter(),
                read.totals(),
                read.problems().stream().map(Found::textless).toList(),
                read.tubes().stream().map(TubeRow::ageless).toList(),
                read.work(),
                null,
                read.interval());
        return new Frame(EVENT, JSON.toJson(timeless), JSON.toJson(new Live(read, read.tubes())));
    }
}
