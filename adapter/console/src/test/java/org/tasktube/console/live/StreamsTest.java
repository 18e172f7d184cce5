package org.tasktube.console.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StreamsTest {

    private int reads;
    private String content = "1";
    private long now;
    private Map<String, Frame.Row> rows = Map.of();
    private final Streams streams = new Streams(() -> {
        reads++;
        return List.of(
                new Frame("overview", content, "{\"now\":" + now + "}", rows), new Frame("operations", "none", "[]"));
    });

    /** A client that takes each frame at once, unless it is slow. */
    private static final class FakeClient implements Client {

        private final List<String> got = new ArrayList<>();
        private final List<String> data = new ArrayList<>();
        private CompletableFuture<?> taken = CompletableFuture.completedFuture(null);
        private boolean closed;
        private boolean refuses;
        private String session = "";
        private boolean loggedOut;

        @Override
        public CompletionStage<?> send(Frame frame) {
            checkRefusal();
            got.add(frame.event() + " " + frame.key());
            data.add(frame.data());
            return taken;
        }

        @Override
        public CompletionStage<?> alive() {
            got.add("alive");
            return taken;
        }

        @Override
        public boolean isOf(String id) {
            return session.equals(id);
        }

        @Override
        public boolean isLoggedOut() {
            return loggedOut;
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public void close() {
            checkRefusal();
            closed = true;
        }

        /** As RESTEasy does for a stream that ends at this moment. */
        private void checkRefusal() {
            if (refuses) {
                throw new IllegalStateException("the stream is closed");
            }
        }
    }

    private FakeClient add() {
        FakeClient client = new FakeClient();
        assertThat(streams.add(client, now)).isTrue();
        return client;
    }

    private void tickAfter(Duration time) {
        now += time.toNanos();
        streams.tick(now);
    }

    private void tick() {
        tickAfter(Duration.ofSeconds(1));
    }

    @Test
    void the_streams_of_a_login_end_with_it_and_others_go_on() {
        FakeClient ended = add();
        ended.session = "anna's";
        FakeClient stuck = add();
        stuck.session = "anna's";
        stuck.refuses = true;
        FakeClient other = add();
        streams.end("anna's");
        tick();
        assertThat(ended.closed).isTrue();
        assertThat(ended.got).isEmpty();
        assertThat(other.got).hasSize(2);
        stuck.refuses = false;
        tick();
        assertThat(stuck.got).isEmpty();
    }

    @Test
    void a_stream_whose_login_has_ended_elsewhere_gets_no_further_frame() {
        FakeClient client = add();
        tick();
        int before = client.got.size();
        client.loggedOut = true;
        content = "2";
        tick();
        assertThat(client.closed).isTrue();
        assertThat(client.got).hasSize(before);
    }

    @Test
    void a_stream_of_an_ended_login_closes_after_the_frame_that_is_on_its_way() {
        FakeClient client = add();
        client.session = "anna's";
        client.taken = new CompletableFuture<>();
        tick();
        streams.end("anna's");
        assertThat(client.closed).as("closed in the middle of a frame").isFalse();
        client.taken.complete(null);
        assertThat(client.closed).isTrue();
    }

    @Test
    void a_stream_of_an_ended_login_that_takes_nothing_closes_soon_and_gets_no_more() {
        FakeClient client = add();
        client.session = "anna's";
        client.taken = new CompletableFuture<>();
        tick();
        int before = client.got.size();
        content = "2";
        streams.end("anna's");
        tickAfter(Streams.LAST_PATIENCE);
        assertThat(client.closed).isTrue();
        assertThat(client.got).hasSize(before);
    }

    @Test
    void one_read_serves_all_clients_and_without_a_client_nothing_is_read() {
        tick();
        assertThat(reads).isZero();
        for (int i = 0; i < 5; i++) {
            add();
        }
        tick();
        assertThat(reads).isEqualTo(1);
    }

    @Test
    void a_client_gets_each_event_when_it_has_changed_only() {
        FakeClient client = add();
        tick();
        tick();
        assertThat(client.got).containsExactly("overview 1", "operations none");
        content = "2";
        tick();
        assertThat(client.got).endsWith("operations none", "overview 2");
        FakeClient later = add();
        tick();
        assertThat(later.got).containsExactly("overview 2", "operations none");
    }

    private static Frame.Row row(String key, String data) {
        return new Frame.Row(key, data);
    }

    @Test
    void an_event_has_the_rows_that_its_client_has_not_seen_and_the_names_of_those_that_went() {
        rows = Map.of("a", row("1", "{\"a\":1}"), "b", row("1", "{\"b\":1}"));
        FakeClient client = add();
        tick();
        assertThat(client.data.get(0))
                .contains("{\"a\":1}", "{\"b\":1}")
                .startsWith("{\"now\":")
                .endsWith("],\"gone\":[],\"whole\":true}");
        rows = Map.of("a", row("1", "{\"a\":1,\"age\":2}"), "b", row("2", "{\"b\":2}"));
        tick();
        assertThat(client.data.get(2)).endsWith(",\"tubes\":[{\"b\":2}],\"gone\":[],\"whole\":false}");
        rows = Map.of("b", row("2", "{\"b\":2}"));
        tick();
        assertThat(client.data.get(3)).endsWith(",\"tubes\":[],\"gone\":[\"a\"],\"whole\":false}");
        tick();
        assertThat(client.data).hasSize(4);
    }

    @Test
    void a_slow_client_gets_all_the_rows_that_have_changed_since_its_last_event() {
        rows = Map.of("a", row("1", "{\"a\":1}"), "b", row("1", "{\"b\":1}"));
        FakeClient slow = add();
        slow.taken = new CompletableFuture<>();
        tick();
        rows = Map.of("a", row("2", "{\"a\":2}"), "b", row("1", "{\"b\":1}"));
        tick();
        rows = Map.of("a", row("2", "{\"a\":2}"), "b", row("2", "{\"b\":2}"));
        tick();
        assertThat(slow.data).hasSize(2);
        slow.taken.complete(null);
        tick();
        assertThat(slow.data.get(2)).contains("{\"a\":2}", "{\"b\":2}").endsWith("\"whole\":false}");
    }

    @Test
    void a_slow_client_misses_frames_and_then_gets_the_newest_one() {
        FakeClient slow = add();
        FakeClient quick = add();
        slow.taken = new CompletableFuture<>();
        tick();
        for (int i = 2; i < 6; i++) {
            content = Integer.toString(i);
            tick();
        }
        assertThat(slow.got).containsExactly("overview 1", "operations none");
        assertThat(quick.got).contains("overview 2", "overview 3", "overview 4", "overview 5");
        slow.taken.complete(null);
        tick();
        assertThat(slow.got).containsExactly("overview 1", "operations none", "overview 5");
    }

    @Test
    void a_client_that_takes_nothing_or_fails_is_closed() {
        FakeClient stuck = add();
        FakeClient broken = add();
        stuck.taken = new CompletableFuture<>();
        broken.taken = CompletableFuture.failedFuture(new java.io.IOException("reset"));
        tick();
        tick();
        assertThat(broken.closed).isTrue();
        assertThat(stuck.closed).isFalse();
        tickAfter(Streams.PATIENCE);
        assertThat(stuck.closed).isTrue();
        assertThat(streams.isEmpty()).isTrue();
    }

    @Test
    void a_client_that_refuses_what_it_is_sent_keeps_it_from_no_other() {
        FakeClient refusing = add();
        FakeClient later = add();
        refusing.refuses = true;
        tick();
        tick();
        content = "2";
        tick();
        assertThat(later.got).containsExactly("overview 1", "operations none", "overview 2");
        streams.close();
        assertThat(later.closed).isTrue();
    }

    @Test
    void a_client_that_refuses_its_end_is_forgotten_and_the_others_end() {
        FakeClient refusing = add();
        FakeClient later = add();
        tick();
        refusing.refuses = true;
        tickAfter(Streams.LIFETIME);
        assertThat(later.closed).isTrue();
        tick();
        assertThat(streams.isEmpty()).isTrue();
    }

    @Test
    void an_event_shows_that_a_silent_stream_is_alive() {
        FakeClient client = add();
        tick();
        tickAfter(Streams.SILENCE.minusMillis(1));
        assertThat(client.got).doesNotContain("alive");
        tickAfter(Duration.ofMillis(1));
        assertThat(client.got).endsWith("alive");
    }

    @Test
    void a_stream_ends_after_its_time_so_that_a_lost_right_takes_effect() {
        FakeClient client = add();
        tickAfter(Streams.LIFETIME.minusMillis(1));
        assertThat(client.closed).isFalse();
        tickAfter(Duration.ofMillis(1));
        assertThat(client.closed).isTrue();
    }

    @Test
    void streams_are_bounded_and_one_that_has_ended_makes_room() {
        List<FakeClient> clients = new ArrayList<>();
        for (int i = 0; i < Streams.MAX; i++) {
            clients.add(add());
        }
        assertThat(streams.add(new FakeClient(), now)).isFalse();
        clients.get(0).close();
        add();
        streams.close();
        assertThat(clients).allMatch(FakeClient::isClosed);
    }
}
