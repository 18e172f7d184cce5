package org.tasktube;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

class FingerprintTest {

    /** The pattern, and messages of libraries that have it. No two patterns are equal. */
    private static final Object[][] MESSAGES = {
        {
            "ERROR: duplicate key value violates unique constraint {text} Detail: Key (id)=(#) already exists.",
            "ERROR: duplicate key value violates unique constraint \"orders_pkey\"\n  Detail: Key (id)=(17) already exists.",
            "ERROR: duplicate key value violates unique constraint \"orders_pkey\"\n  Detail: Key (id)=(-240518) already exists."
        },
        {
            "ERROR: duplicate key value violates unique constraint {text} Detail: Key (mail)=({mail}) already exists.",
            "ERROR: duplicate key value violates unique constraint \"u\"\n  Detail: Key (mail)=(ann@shop.org) already exists.",
            "ERROR: duplicate key value violates unique constraint \"u\"\n  Detail: Key (mail)=(bob.b@x.co.uk) already exists."
        },
        {
            "ERROR: null value in column {text} of relation {text} violates not-null constraint",
            "ERROR: null value in column \"name\" of relation \"orders\" violates not-null constraint",
            "ERROR: null value in column \"total\" of relation \"orders\" violates not-null constraint"
        },
        {
            "ERROR: deadlock detected Detail: Process # waits for ShareLock on transaction #; blocked by process #.",
            "ERROR: deadlock detected\n  Detail: Process 4711 waits for ShareLock on transaction 99; blocked by process 12.",
            "ERROR: deadlock detected\n  Detail: Process 8 waits for ShareLock on transaction 12345678901; blocked by process 9."
        },
        {"ERROR: canceling statement due to statement timeout", "ERROR: canceling statement due to statement timeout"},
        {
            "Connection to # refused. Check that the hostname and port are correct",
            "Connection to 10.0.0.7:5432 refused. Check that the hostname and port are correct",
            "Connection to 192.168.1.20:5433 refused. Check that the hostname and port are correct"
        },
        {
            "FATAL: database {text} does not exist",
            "FATAL: database \"a\" does not exist",
            "FATAL: database \"b\" does not exist"
        },
        {
            "Unique index or primary key violation: {text}; SQL statement: INSERT INTO T VALUES (#) [#]",
            "Unique index or primary key violation: \"PUBLIC.PRIMARY_KEY_2 ON PUBLIC.T(ID) VALUES ( /* key:1 */ 1)\";"
                    + " SQL statement:\nINSERT INTO T VALUES (1) [23505-224]",
            "Unique index or primary key violation: \"PUBLIC.PRIMARY_KEY_2 ON PUBLIC.T(ID) VALUES ( /* key:7 */ 70)\";"
                    + " SQL statement:\nINSERT INTO T VALUES (70) [23505-224]"
        },
        {
            "Timeout trying to lock table {text}; SQL statement: SELECT # FROM T [#]",
            "Timeout trying to lock table \"T\"; SQL statement:\nSELECT 1 FROM T [50200-224]",
            "Timeout trying to lock table \"ORDERS\"; SQL statement:\nSELECT 2 FROM T [50200-224]"
        },
        {
            "ORA-00001: unique constraint (SHOP.PK_ORDER) violated",
            "ORA-00001: unique constraint (SHOP.PK_ORDER) violated"
        },
        {"ORA-02291: integrity constraint violated", "ORA-02291: integrity constraint violated"},
        {
            "Duplicate entry {text} for key {text}",
            "Duplicate entry '17' for key 'orders.PRIMARY'",
            "Duplicate entry 'O'Brien' for key 'people.name'"
        },
        {
            "Lock wait timeout exceeded; try restarting transaction",
            "Lock wait timeout exceeded; try restarting transaction"
        },
        {"SQLState: 40001", "SQLState: 40001"},
        {"SQLState: 42P01", "SQLState: 42P01"},
        {
            "HikariPool-# - Connection is not available, request timed out after #ms (total=#, active=#, idle=#, waiting=#)",
            "HikariPool-1 - Connection is not available, request timed out after 30000ms (total=10, active=10, idle=0, waiting=5)",
            "HikariPool-2 - Connection is not available, request timed out after 30007ms (total=5, active=5, idle=0, waiting=17)"
        },
        {
            "IJ#: Unable to get managed connection for java:/ShopDS",
            "IJ000453: Unable to get managed connection for java:/ShopDS"
        },
        {
            "Row was updated or deleted by another transaction (or unsaved-value mapping was incorrect) : [shop.Order#]",
            "Row was updated or deleted by another transaction (or unsaved-value mapping was incorrect) : [shop.Order#17]",
            "Row was updated or deleted by another transaction (or unsaved-value mapping was incorrect) : [shop.Order#4]"
        },
        {
            "Unable to find shop.Order with id {uuid}",
            "Unable to find shop.Order with id 550e8400-e29b-41d4-a716-446655440000",
            "Unable to find shop.Order with id 00000000-0000-0000-0000-00000000000A"
        },
        {
            "Unable to find shop.Order with id #",
            "Unable to find shop.Order with id 1",
            "Unable to find shop.Order with id 123456789012"
        },
        {
            "could not initialize proxy [shop.Customer#] - no Session",
            "could not initialize proxy [shop.Customer#3] - no Session",
            "could not initialize proxy [shop.Customer#41] - no Session"
        },
        {
            "Could not resolve attribute {text} of {text}",
            "Could not resolve attribute 'nmae' of 'shop.Order'",
            "Could not resolve attribute 'totl' of 'shop.Order'"
        },
        {
            "Cannot deserialize value of type {text} from String {text}: not a valid value"
                    + " at [Source: (String){text}; line: #, column: #]",
            "Cannot deserialize value of type `int` from String \"x1\": not a valid value\n"
                    + " at [Source: (String)\"{\\\"n\\\":\\\"x1\\\"}\"; line: 1, column: 6]",
            "Cannot deserialize value of type `int` from String \"\": not a valid value\n"
                    + " at [Source: (String)\"{\\\"name\\\":\\\"\\\"}\"; line: 12, column: 104]"
        },
        {
            "Internal error: Invalid token=EOF at (line no=#, column no=#, offset=#)",
            "Internal error: Invalid token=EOF at (line no=1, column no=20, offset=19)",
            "Internal error: Invalid token=EOF at (line no=7, column no=1, offset=-1)"
        },
        {
            "HTTP 503 Service Unavailable", "HTTP 503 Service Unavailable",
        },
        {"HTTP 404 Not Found", "HTTP 404 Not Found"},
        {
            "Server returned HTTP response code: 502 for URL: {path}",
            "Server returned HTTP response code: 502 for URL: https://api.shop.org/orders/17?full=true&x=1",
            "Server returned HTTP response code: 502 for URL: http://localhost:8080/orders/9"
        },
        {
            "Server returned HTTP response code: 400 for URL: {path}",
            "Server returned HTTP response code: 400 for URL: https://api.shop.org/orders/17"
        },
        {
            "Connect to {path} failed: Connection refused",
            "Connect to http://payment:8080 failed: Connection refused",
            "Connect to http://payment-2.intern:8443 failed: Connection refused"
        },
        {"api.shop.org: Name or service not known", "api.shop.org: Name or service not known"},
        {"Read timed out", "Read timed out"},
        {"connect timed out", "connect timed out"},
        {"request timed out after # ms", "request timed out after 250 ms", "request timed out after 1,000.5 ms"},
        {
            "Did not observe any item or terminal signal within #ms in {text} (and no fallback has been configured)",
            "Did not observe any item or terminal signal within 5000ms in 'map' (and no fallback has been configured)",
            "Did not observe any item or terminal signal within 1ms in 'flatMap' (and no fallback has been configured)"
        },
        {"transaction {id} timed out", "transaction 0xffff7f000101 timed out", "transaction 0x1 timed out"},
        {
            "save.order.total: must be greater than #",
            "save.order.total: must be greater than 0",
            "save.order.total: must be greater than 100"
        },
        {"save.order.name: must not be blank", "save.order.name: must not be blank"},
        {
            "size must be between # and # for {text}",
            "size must be between 1 and 32 for 'x'",
            "size must be between 2 and 64 for 'a very long value, with 7 words'"
        },
        {
            "For input string: {text}",
            "For input string: \"12a\"",
            "For input string: \"\"",
            "For input string: \"\u202eabc\""
        },
        {
            "Index # out of bounds for length #",
            "Index 5 out of bounds for length 5",
            "Index -1 out of bounds for length 1200"
        },
        {
            "Cannot ship order {text} of {text} because its address is null",
            "Cannot ship order \"10000\" of \"Anna Berg\" because its address is null",
            "Cannot ship order \"10001\" of \"Customer 7\" because its address is null"
        },
        {
            "No method \"save(java.lang.String, int)\" for order #",
            "No method \"save(java.lang.String, int)\" for order 17"
        },
        {
            "no value {text} for {text}",
            "no value \"f(17) + 3\" for \"a b (c)\"",
            "no value \"(17)\" for \"order_17(express)\""
        },
        {
            "{path} (No such file or directory)",
            "/var/data/in/17.csv (No such file or directory)",
            "/tmp/x (No such file or directory)"
        },
        {
            "{path} (The system cannot find the file specified)",
            "C:\\data\\in\\17.csv (The system cannot find the file specified)",
            "\\\\server\\share\\a.csv (The system cannot find the file specified)"
        },
        {
            "no handler for shop.Order@{id} of node {id}",
            "no handler for shop.Order@1b2c3d of node 507f1f77bcf86cd799439011",
            "no handler for shop.Order@7 of node V1StGXR8Z5jdHi6B"
        },
        {
            "Text {text} could not be parsed at index #",
            "Text '2026-13-01' could not be parsed at index 5",
            "Text 'yesterday' could not be parsed at index 0"
        },
        {
            "unpaid since #T#Z, due on #",
            "unpaid since 2026-11-22T10:00:00Z, due on 2026-12-01",
            "unpaid since 2026-11-22T10:00:00.123456Z, due on 22/12/2026"
        },
        {"missing ids [#]", "missing ids [1, 2, 3]", "missing ids [99]", "missing ids [1,2]"},
        {
            "the customer doesn't exist, so the order can't be saved",
            "the customer doesn't exist, so the order can't be saved"
        },
        {
            "l\u2019article {text} n\u2019existe pas",
            "l\u2019article \u00ab17\u00a0b\u00bb n\u2019existe pas",
            "l\u2019article \u201cx\u201d n\u2019existe pas"
        },
        {
            "\u6ce8\u6587#\u304c\u3042\u308a\u307e\u305b\u3093#",
            "\u6ce8\u6587123\u304c\u3042\u308a\u307e\u305b\u30934",
            "\u6ce8\u65871\u304c\u3042\u308a\u307e\u305b\u30932"
        },
        {
            "Unsupported Media Type: application/json is not text/html",
            "Unsupported Media Type: application/json is not text/html"
        },
        {"org/shop/Order", "org/shop/Order"},
        {"org/shop/Customer", "org/shop/Customer"},
    };

    static List<Object[]> messages() {
        List<Object[]> rows = new ArrayList<>();
        for (Object[] kind : MESSAGES) {
            for (int i = 1; i < kind.length; i++) {
                rows.add(new Object[] {kind[0], kind[i]});
            }
        }
        return rows;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Cannot invoke \"shop.Order.total()\" because \"order\" is null",
                "Cannot invoke \"String.length()\" because \"<local1>\" is null",
                "Cannot read field \"total\" because \"this.orders[i].lines\" is null",
                "Cannot store to int array because \"<local4>\" is null"
            })
    void the_names_of_what_is_null_stay_in_the_message_of_a_null_pointer(String message) {
        String type = "java.lang.NullPointerException";
        assertThat(Fingerprint.of(type, "", "", message).message()).isEqualTo(message);
        assertThat(Fingerprint.of("shop.Outer", type, "", message).message()).isEqualTo(message);
        assertThat(Fingerprint.of("shop.Outer", "", "", message).message()).contains("{text}");
    }

    private static Fingerprint of(String message) {
        return Fingerprint.of("a.Failure", "", "shop.Orders.save", message);
    }

    @ParameterizedTest
    @MethodSource("messages")
    void a_message_has_its_pattern(String pattern, String message) {
        assertThat(of(message).message()).isEqualTo(pattern);
    }

    @Test
    void messages_of_one_pattern_fall_together_and_others_stay_apart() {
        Map<String, String> patterns = new TreeMap<>();
        messages().forEach(row -> {
            String other = patterns.put(of((String) row[1]).id(), (String) row[0]);
            assertThat(other).isIn(null, row[0]);
        });
        assertThat(patterns).hasSize(MESSAGES.length);
        assertThat(messages()).hasSizeGreaterThan(40);
    }

    @Test
    void the_class_and_the_frame_keep_failures_apart() {
        assertThat(List.of(
                        Fingerprint.of("a", "", "b", "c"),
                        Fingerprint.of("x", "", "b", "c"),
                        Fingerprint.of("a", "", "x", "c"),
                        Fingerprint.of("ab", "", "", "c")))
                .extracting(Fingerprint::id)
                .doesNotHaveDuplicates();
    }

    /** The database has ids of former versions. SHA-256 of a NUL-terminated type, frame and pattern; by sha256sum. */
    @Test
    void an_id_is_the_same_in_every_version() {
        assertThat(Fingerprint.of("java.io.IOException", "", "shop.Orders.save", "disk 7 full")
                        .id())
                .isEqualTo("cbb4c046fb4c28ad");
        assertThat(Fingerprint.of("", "", "", "").id()).isEqualTo("709e80c88487a241");
    }

    @Test
    void a_number_has_its_id_and_an_id_its_number() {
        for (long number : new long[] {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThat(new Fingerprint(Fingerprint.hex(number), "a", "", "b", "c").number())
                    .isEqualTo(number);
        }
        assertThat(Fingerprint.hex(-1)).isEqualTo("ffffffffffffffff");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "FFFFFFFFFFFFFFFF", "00000000000000000", "zzzzzzzzzzzzzzzz"})
    void an_id_that_is_none_is_an_error_that_names_it(String id) {
        assertThatThrownBy(() -> new Fingerprint(id, "a", "", "b", "c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + id + "'")
                .hasMessageContaining("16 digits");
    }

    @Test
    void invisible_characters_and_white_space_change_nothing() {
        String plain = "order not paid";
        assertThat(of("order\u200f not\u202e\u00ad paid")).isEqualTo(of(plain));
        assertThat(of("  order\r\n\tnot\u00a0\u0000 paid\n")).isEqualTo(of(plain));
    }

    @Test
    void no_half_character_and_no_nul_is_kept() {
        Fingerprint kept = Fingerprint.of("a\0\ud83d", "", "b\udE00\0", "x\ud83d y\0z \ud83d\ude00");
        assertThat(kept)
                .extracting(Fingerprint::type, Fingerprint::frame, Fingerprint::message)
                .containsExactly("a ?", "b? ", "x? y z \ud83d\ude00");
        assertThat(new Fingerprint(kept.id(), kept.type(), kept.cause(), kept.frame(), kept.message()))
                .isEqualTo(kept);
    }

    @Test
    void each_part_is_cut() {
        Fingerprint kept = Fingerprint.of("t".repeat(999), "", "f".repeat(999), "word ".repeat(999));
        assertThat(kept.type()).hasSize(Fingerprint.MAX_TYPE);
        assertThat(kept.frame()).hasSize(Fingerprint.MAX_FRAME);
        assertThat(kept.message()).hasSize(Fingerprint.MAX_MESSAGE);
    }

    static List<String> adversarial() {
        List<String> messages = new ArrayList<>();
        for (String part : List.of(
                "x",
                "'",
                "'a",
                "\"",
                "\\\"",
                "''a",
                "1",
                "1.",
                "1e+",
                "-1",
                ".",
                "/",
                "//",
                "/a",
                "a/",
                "\\",
                "@",
                "a@",
                "://",
                "a://",
                "0x",
                "a1",
                "f0",
                "{",
                "{id}",
                "#",
                "# ",
                ",;",
                " ",
                "\u0000",
                "\u202e",
                "\ud83d",
                "550e8400-",
                "12345678-1234-1234-1234-12345678901",
                "\u00ab",
                "a'b \"c",
                "((((",
                "x=y ",
                "ORA-")) {
            messages.add(part.repeat((1 << 20) / part.length()));
        }
        return messages;
    }

    /** A message of 1 MiB costs some milliseconds. The patience is for a slow machine; quadratic work takes minutes. */
    @ParameterizedTest
    @MethodSource("adversarial")
    void a_message_of_one_mebibyte_costs_a_bounded_time(String message) {
        Fingerprint kept = assertTimeoutPreemptively(Duration.ofSeconds(2), () -> of(message));
        assertThat(kept.message().length()).isLessThanOrEqualTo(Fingerprint.MAX_MESSAGE);
    }

    // The frame and the class

    private static StackTraceElement frame(String type, String method) {
        return new StackTraceElement(type, method, "Some.java", 7);
    }

    private static <T extends Throwable> T thrownAt(T thrown, StackTraceElement... frames) {
        thrown.setStackTrace(frames);
        return thrown;
    }

    private static Fingerprint kindOf(Throwable thrown) {
        return TaskFailure.of(thrown).fingerprint();
    }

    @Test
    void the_kind_has_the_class_of_the_exception_and_the_class_frame_and_message_of_its_root_cause() {
        Throwable root = thrownAt(
                new java.io.IOException("disk 7 full"), frame("shop.Files", "write"), frame("shop.Worker", "onTask"));
        Fingerprint kind = kindOf(new IllegalStateException("cannot save 17", new RuntimeException("between", root)));
        assertThat(kind)
                .isEqualTo(Fingerprint.of(
                        "java.lang.IllegalStateException", "java.io.IOException", "shop.Files.write", "disk 7 full"));
        assertThat(kind).isNotEqualTo(kindOf(root)).isEqualTo(kindOf(new IllegalStateException("again", root)));
    }

    @Test
    void the_frame_is_the_first_one_of_the_beans_packages() {
        Throwable thrown = thrownAt(
                new IllegalStateException("x"),
                frame("java.util.Objects", "requireNonNull"),
                frame("org.postgresql.core.Query", "run"),
                frame("com.acme.dao.Orders", "lambda$save$3"),
                frame("com.acme.beans.Worker", "onTask"),
                frame("org.jboss.as.ejb3.Interceptor", "process"),
                frame("java.lang.Thread", "run"));
        assertThat(kindOf(thrown).frame()).isEqualTo("com.acme.dao.Orders.lambda$save");
    }

    @Test
    void a_cause_of_another_thread_has_the_frame_of_the_application_there_or_of_the_bean() {
        Throwable elsewhere = thrownAt(new IllegalStateException("x"), frame("java.net.Socket", "read"));
        Throwable bean = thrownAt(
                new RuntimeException(elsewhere), frame("java.util.Future", "get"), frame("shop.Worker", "onTask"));
        assertThat(kindOf(bean).frame()).isEqualTo("shop.Worker.onTask");
        thrownAt(elsewhere, frame("java.net.Socket", "read"), frame("shop.Client", "call"));
        assertThat(kindOf(bean).frame()).isEqualTo("shop.Client.call");
    }

    @Test
    void without_a_bean_the_frame_is_the_first_that_is_not_the_platforms() {
        assertThat(kindOf(thrownAt(
                                new IllegalStateException("x"),
                                frame("java.util.Objects", "requireNonNull"),
                                frame("lib.Engine$$Generated$$12", "run")))
                        .frame())
                .isEqualTo("lib.Engine.run");
        assertThat(kindOf(thrownAt(new IllegalStateException("x"), frame("java.util.Objects", "equals")))
                        .frame())
                .isEqualTo("java.util.Objects.equals");
        assertThat(kindOf(thrownAt(new IllegalStateException("x"))).frame()).isEmpty();
    }

    @Test
    void a_line_number_does_not_matter() {
        StackTraceElement later = new StackTraceElement("shop.Files", "write", "Files.java", 8_000);
        assertThat(kindOf(thrownAt(new IllegalStateException("x"), later)))
                .isEqualTo(kindOf(thrownAt(new IllegalStateException("x"), frame("shop.Files", "write"))));
    }

    @Test
    void an_exception_without_a_message_has_a_kind() {
        assertThat(kindOf(new IllegalStateException((String) null)).message()).isEmpty();
        assertThat(new TaskFailure("a.Failure", "order 17", "").fingerprint())
                .isEqualTo(Fingerprint.of("a.Failure", "", "", "order 18"));
    }
}
