package org.tasktube.console.rest;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tasktube.console.json.Views;
import org.tasktube.console.live.Frame;
import org.tasktube.console.live.FrameSource;
import org.tasktube.console.overview.Problems.Found;

/** The event with the overview, and a row for each tube. */
@ApplicationScoped
public class OverviewFrames implements FrameSource {

    private static final String EVENT = "overview";
    private static final Jsonb JSON = JsonbBuilder.create();

    @Inject
    private Overviews overviews;

    /** The data of the event beside its rows. */
    public record Live(Views.Overview overview) {}

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
        Views.Overview timeless = without(
                null, read, read.problems().stream().map(Found::textless).toList(), null);
        Map<String, Frame.Row> rows = new LinkedHashMap<>();
        read.tubes().forEach(row -> rows.put(row.name(), new Frame.Row(JSON.toJson(row.ageless()), JSON.toJson(row))));
        return new Frame(
                EVENT,
                JSON.toJson(timeless),
                JSON.toJson(new Live(without(read.now(), read, read.problems(), read.measured()))),
                rows);
    }

    /** Returns an overview without its tubes, which are the rows. */
    private static Views.Overview without(Instant now, Views.Overview read, List<Found> problems, Instant measured) {
        return new Views.Overview(
                now, read.adapter(), read.totals(), problems, List.of(), read.work(), measured, read.interval());
    }
}
