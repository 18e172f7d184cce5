package org.tasktube.itest.console;

import com.microsoft.playwright.Locator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of failures, over 10,000 failed tasks of 12 kinds. A bean has failed once in each kind; the other tasks are
 * copies of those rows.
 */
@InBrowser
@Tag("full")
class FailuresIT {

    private static final List<String> WORDS = List.of(
            "amber", "beige", "coral", "denim", "ebony", "fawn", "green", "hazel", "ivory", "jade", "khaki", "lilac");
    private static final int FAILURES = 10_000;

    /** Of the n-th kind there are this many more than of the one after it. */
    private static final int STEP = 10;

    /** The number of tasks by the word in their message. */
    private static final Map<String, Integer> COUNTS = new TreeMap<>();

    private final ConsoleServer console;
    private final Visitor visitor;

    FailuresIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @BeforeAll
    static void fail(ConsoleServer console) {
        clear(console);
        Rest rest = console.rest(console.operator());
        WORDS.forEach(word -> rest.putText("work", "fail the " + word + " printer of order 4711 is broken"));
        Eventually.holds(() -> buried(console) == WORDS.size(), "each kind has failed once");
        int left = FAILURES;
        for (int i = 0; i < WORDS.size(); i++) {
            boolean isLast = i == WORDS.size() - 1;
            int count = isLast ? left : FAILURES / WORDS.size() + (WORDS.size() / 2 - i) * STEP;
            Rows.of(console).copy(idOf(console, WORDS.get(i)), count - 1);
            COUNTS.put(WORDS.get(i), count);
            left -= count;
        }
    }

    @AfterAll
    static void clear(ConsoleServer console) {
        Rest admin = console.rest(console.admin());
        admin.post("tubes/work/truncate", "{\"reason\":\"test\",\"confirm\":\"work\"}");
        admin.post("tubes/work/resume", "{}");
    }

    private static int buried(ConsoleServer console) {
        return Integer.parseInt(console.read("SELECT count(*) FROM tasktube_task WHERE failure IS NOT NULL"));
    }

    private static String idOf(ConsoleServer console, String word) {
        return console.read("SELECT min(id) FROM tasktube_task WHERE error_message LIKE '%" + word + "%'");
    }

    @Test
    void an_operator_sees_what_was_logged_during_the_delivery_and_a_viewer_does_not() {
        String id = idOf(console, WORDS.get(0));
        visitor.login(console.operator(), "tasks/work/" + id);
        visitor.awaitText("main", "Log of its deliveries");
        assertThat(visitor.find("main").textContent())
                .contains("[org.tasktube.itest.work.WorkBean] the bean cannot: fail the " + WORDS.get(0));
        assertThat(console.rest(console.viewer())
                        .send("GET", "tasks/work/" + id + "/log", "")
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void failures_are_grouped_by_kind_with_exact_numbers() {
        visitor.login(console.viewer(), "failures");

        visitor.awaitText(".page-head", "10,000 tasks in 12 kinds");
        Map<String, Integer> shown = new TreeMap<>();
        WORDS.forEach(word -> shown.put(word, shown(word, "tasks")));
        assertThat(shown).isEqualTo(COUNTS);
    }

    @Test
    void the_largest_kind_is_the_first() {
        visitor.login(console.viewer(), "failures");
        visitor.page().waitForSelector("tbody tr");
        String largest = COUNTS.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
        assertThat(visitor.find("tbody tr").first().textContent()).contains(largest);
    }

    @Test
    void a_kind_is_found_by_its_words_and_the_address_keeps_them() {
        visitor.login(console.viewer(), "failures");
        visitor.page().waitForSelector("tbody tr");
        visitor.press("/");
        visitor.type("khaki");
        visitor.awaitThat("() => document.querySelectorAll('tbody tr:not([hidden])').length === 1");
        visitor.open(visitor.address());
        visitor.awaitThat("() => document.querySelectorAll('tbody tr:not([hidden])').length === 1");
    }

    @Test
    void a_sample_shows_its_trace() {
        visitor.login(console.viewer(), "failures");
        visitor.find("tr", "denim")
                .locator("a", new Locator.LocatorOptions().setHasText("Sample"))
                .click();

        visitor.awaitText("pre.trace", "the denim printer of order 4711 is broken");
        visitor.awaitText("pre.trace", "org.tasktube.itest.work.WorkBean.onTask");
    }

    @Test
    void a_number_of_a_kind_leads_to_those_tasks() {
        visitor.login(console.viewer(), "failures");
        visitor.find("tr", "denim").locator("[data-label=buried] a").click();

        visitor.awaitText("main h1", "Tasks");
        visitor.page().waitForSelector("tbody tr");
        assertThat(visitor.address()).contains("state%3Aburied");
    }

    @Test
    void a_retry_of_one_kind_makes_its_tasks_ready_and_changes_no_other() {
        // The bean would take the tasks again, and fail again
        console.rest(console.operator()).post("tubes/work/pause", "{\"reason\":\"the tasks are counted\"}");
        int tasks = COUNTS.get("green");
        String others = others();
        visitor.login(console.operator(), "failures");
        Locator row = visitor.find("tr", "green");
        row.locator("[data-act=retry-all]").click();

        visitor.awaitText("dialog .filtertext", "state:buried");
        String number = String.format(Locale.ROOT, "%,d", tasks);
        visitor.awaitText("dialog .note", "Retry " + number + " tasks.");
        assertThat(visitor.find("dialog .chip").allTextContents()).containsExactly(" work " + number);
        assertThat(visitor.find("dialog .samples li").allTextContents())
                .hasSize(10)
                .allMatch(sample -> sample.contains("the green printer of order 4711 is broken"));
        Locator submit = visitor.find("dialog button[type=submit]");
        assertThat(submit.textContent()).isEqualTo("Retry " + number + " tasks");
        submit.click();
        visitor.awaitText("dialog .outcome", "An act needs a reason.");
        assertThat(states("green")).isEqualTo("! " + tasks);
        visitor.page().getByLabel("Reason").fill("the green printer works again");
        submit.click();

        visitor.awaitText("main .panel", "Done: " + number + " tasks changed");
        assertThat(states("green")).isEqualTo("r " + tasks);
        assertThat(others()).as("each row of another kind").isEqualTo(others);
        visitor.press("g", "f");
        visitor.awaitText("main .page-head", "10,000 tasks in 12 kinds");
        for (String word : WORDS) {
            boolean isRetried = word.equals("green");
            assertThat(shown(word, "buried")).isEqualTo(isRetried ? 0 : COUNTS.get(word));
            assertThat(shown(word, "will retry")).isEqualTo(isRetried ? tasks : 0);
            assertThat(shown(word, "tasks")).isEqualTo(COUNTS.get(word));
        }
        assertThat(row.locator("[data-act=retry-all]").count()).isZero();
    }

    /** Each row of the table as the database has it: any change of a row gives it another transaction. */
    private String others() {
        return console.read("SELECT count(*) || ' ' || md5(string_agg(id || ' ' || xmin, ',' ORDER BY id))"
                + " FROM tasktube_task WHERE error_message NOT LIKE '%green%'");
    }

    private String states(String word) {
        return console.read("SELECT string_agg(state || ' ' || n, ',') FROM (SELECT state, count(*) AS n"
                + " FROM tasktube_task WHERE error_message LIKE '%" + word + "%' GROUP BY state) AS states");
    }

    private int shown(String word, String column) {
        return Integer.parseInt(visitor.find("tr", word)
                .locator("[data-label='" + column + "']")
                .textContent()
                .replace(",", ""));
    }
}
