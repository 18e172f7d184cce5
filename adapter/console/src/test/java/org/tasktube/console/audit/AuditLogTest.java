package org.tasktube.console.audit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AuditLogTest {

    @Test
    void no_value_can_end_its_line_or_its_quotes() {
        assertThat(AuditLog.quoted("a\" answer=200\nuser=\"b\\")).isEqualTo("\"a\\\" answer=200\\u{a}user=\\\"b\\\\\"");
        assertThat(AuditLog.quoted("\u2028\u202e\u0007\ud800x")).isEqualTo("\"\\u{2028}\\u{202e}\\u{7}\\u{d800}x\"");
        assertThat(AuditLog.quoted("Zoë 😀")).isEqualTo("\"Zoë 😀\"");
    }

    @Test
    void a_long_value_is_cut() {
        assertThat(AuditLog.quoted("x".repeat(10_000))).hasSize(302);
    }
}
