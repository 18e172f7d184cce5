package org.tasktube.console.audit;

import org.junit.jupiter.api.Test;
import org.tasktube.admin.AuditAct;

import static org.assertj.core.api.Assertions.assertThat;

class AuditTest {

    private static Audit of(String task) {
        Audit audit = new Audit();
        audit.begin("anna", "192.0.2.17", "OPERATE", "kick");
        audit.task(task);
        audit.number(1);
        return audit;
    }

    @Test
    void an_act_that_was_done_has_its_number_and_a_refused_one_has_changed_nothing() {
        assertThat(of("4711").act(200).number()).hasValue(1);
        assertThat(of("4711").act(409).number()).isEmpty();
    }

    @Test
    void any_text_of_a_request_fits_its_column() {
        String shown = of("a\0b\r\n\uD800c").act(404).task().orElseThrow();
        assertThat(shown).isEqualTo("a\uFFFDb\uFFFD\uFFFD\uFFFDc");
        for (String unit : new String[] {"x", "\uD83D\uDE00", "x\uD83D\uDE00"}) {
            String cut = of(unit.repeat(1_000)).act(404).task().orElseThrow();
            assertThat(cut.length()).isBetween(AuditAct.MAX_ACT - 1, AuditAct.MAX_ACT);
            assertThat(cut).endsWith("…");
            assertThat(cut.codePoints().noneMatch(point -> point >= 0xD800 && point <= 0xDFFF))
                    .isTrue();
        }
        assertThat(of("x".repeat(AuditAct.MAX_ACT)).act(404).task()).contains("x".repeat(AuditAct.MAX_ACT));
    }
}
