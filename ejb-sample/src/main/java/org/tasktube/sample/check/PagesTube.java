package org.tasktube.sample.check;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.ArrayList;
import java.util.List;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.sample.store.Page;

/** The tube with one task per page to be checked. */
@ApplicationScoped
public class PagesTube {

    private static final int LISTED_AT_ONCE = 1000;

    @Inject
    private Tubes tubes;

    /** A page whose task was buried. */
    public record GivenUp(String url, String reason) {}

    /** Puts a task for a page unless the tube has one. A site's pages are checked one at a time. */
    @Transactional(TxType.MANDATORY)
    public void put(Request request) {
        String key = Page.id(request.url()).toString();
        PutOptions options = PutOptions.defaults().utube(request.site());
        tubes.with(Tubes.PAGES, tube -> tube.putUnique(key, request.text(), options, OnConflict.KEEP));
    }

    public long buried() {
        return tubes.with(Tubes.PAGES, tube -> tube.statistics().buried());
    }

    /** Returns the pages whose tasks were buried, each with its last failure. */
    public List<GivenUp> givenUp() {
        return tubes.with(Tubes.PAGES, PagesTube::givenUp);
    }

    private static List<GivenUp> givenUp(Tube tube) {
        List<GivenUp> all = new ArrayList<>();
        List<Task> some = tube.tasks(TaskState.BURIED, 0, LISTED_AT_ONCE);
        while (!some.isEmpty()) {
            some.forEach(task -> all.add(givenUp(tube, task)));
            some = tube.tasks(TaskState.BURIED, some.get(some.size() - 1).id(), LISTED_AT_ONCE);
        }
        return all;
    }

    private static GivenUp givenUp(Tube tube, Task task) {
        String reason = tube.meta(task.id())
                .flatMap(meta -> meta.lastFailure())
                .map(TaskFailure::message)
                .orElse("buried by hand");
        return new GivenUp(Request.parse(task.text()).url(), reason);
    }
}
