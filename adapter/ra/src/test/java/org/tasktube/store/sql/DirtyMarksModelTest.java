package org.tasktube.store.sql;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.store.sql.DirtyMarksModel.Variant;

import static org.assertj.core.api.Assertions.assertThat;

/** Three transactions in every order: no mark is lost, and the model finds each fault that the rule could have. */
@Tag("full")
class DirtyMarksModelTest {

    private static final int MANY = 10_000;

    @ParameterizedTest
    @EnumSource(names = {"AS_IT_IS", "EARLY_PROMOTER"})
    void no_order_of_steps_loses_a_mark(Variant rule) {
        DirtyMarksModel model = new DirtyMarksModel(rule);
        assertThat(model.lostMark()).isEmpty();
        assertThat(model.states()).isGreaterThan(MANY);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"AS_IT_IS", "EARLY_PROMOTER"})
    void an_order_of_steps_is_found_in_which_a_broken_rule_loses_a_mark(Variant broken) {
        assertThat(new DirtyMarksModel(broken).lostMark()).isPresent();
    }
}
