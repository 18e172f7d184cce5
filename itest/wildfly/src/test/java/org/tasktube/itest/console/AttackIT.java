package org.tasktube.itest.console;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.tasktube.itest.kit.ConsoleUser;
import org.tasktube.itest.watchdog.FullRun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Clients that mean no good, all at once, on a server with a heap of 512 MiB. With {@code -Dfull} for ten minutes. */
@Tag("console")
@ExtendWith(ConsoleServer.Extension.class)
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@Tag("full")
class AttackIT {

    private static final int SECONDS_OF_ATTACK = FullRun.size(15, 120);
    private static final Duration MOST = Duration.ofSeconds(2);
    private static final int SLOW_CLIENTS = 500;
    private static final int LARGE_TASKS = 40;
    private static final String LARGE = "attacked";
    private static final String SEARCH = "tasks?filter=data:*a*a*a*a*a*c*&limit=200";

    /** Tasks per second, put by an application. */
    private static final int RATE = 50;

    private final ConsoleServer console;
    private final ScheduledExecutorService attackers = Executors.newScheduledThreadPool(8);
    private final List<ScheduledFuture<?>> attacks = new ArrayList<>();
    private final List<Duration> answers = new ArrayList<>();

    AttackIT(ConsoleServer console) {
        this.console = console;
    }

    @BeforeEach
    void fill() {
        console.freshTube(LARGE, "fifottl");
        Rest rest = console.rest(console.operator());
        String data = "ab".repeat(500_000);
        for (int i = 0; i < LARGE_TASKS; i++) {
            rest.putText(LARGE, data);
        }
    }

    @AfterEach
    void end() {
        attackers.shutdownNow();
        console.drop(LARGE);
    }

    @Test
    void an_attack_of_many_kinds_slows_no_operator_and_no_tube() throws Exception {
        try (SlowClients slow = new SlowClients(console.page(""), SLOW_CLIENTS)) {
            every(1_000, slow);
            every(
                    10,
                    () -> Rest.send(anonymous("overview?" + "x".repeat(30_000)).build()));
            every(10, () -> Rest.send(form("user=" + "x".repeat(16_000) + "&password=x")));
            every(100, () -> console.rest(new ConsoleUser("nobody", "wrong")).send("GET", "overview", ""));
            every(1, () -> console.rest(console.viewer()).send("GET", SEARCH, ""));
            every(1, () -> console.rest(console.admin()).send("GET", SEARCH, ""));
            every(1_000, this::putAndLook);
            Future<?> load = attacks.get(attacks.size() - 1);
            assertThatThrownBy(() -> load.get(SECONDS_OF_ATTACK, TimeUnit.SECONDS))
                    .isInstanceOf(TimeoutException.class);
            assertThat(attacks).as("attacks that ended").noneMatch(Future::isDone);
            load.cancel(false);
        }
        assertThat(answers).hasSizeGreaterThan(SECONDS_OF_ATTACK * 9 / 10);
        assertThat(answers.stream().sorted().limit(answers.size() * 9L / 10))
                .as("answers for an operator")
                .allMatch(answer -> answer.compareTo(MOST) < 0);
        assertThat(waiting()).as("tasks that wait").isLessThan(SECONDS_OF_ATTACK * RATE / 10);
    }

    private void every(long millis, Runnable action) {
        attacks.add(attackers.scheduleAtFixedRate(action, 0, millis, TimeUnit.MILLISECONDS));
    }

    private HttpRequest.Builder anonymous(String path) {
        return HttpRequest.newBuilder(console.page(path));
    }

    private HttpRequest form(String fields) {
        return anonymous("login")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(fields))
                .build();
    }

    private void putAndLook() {
        console.fill("work", RATE);
        long begin = System.nanoTime();
        console.rest(console.operator()).get("overview");
        answers.add(Duration.ofNanos(System.nanoTime() - begin));
    }

    private long waiting() {
        return Long.parseLong(console.read("SELECT count(*) FROM tasktube_task t JOIN tasktube_tube u"
                + " ON u.id = t.tube_id WHERE u.name = 'work' AND t.state IN ('r', 't')"));
    }
}
