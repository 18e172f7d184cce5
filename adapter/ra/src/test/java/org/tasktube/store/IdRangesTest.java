package org.tasktube.store;

import java.util.List;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IdRangesTest {

    @Test
    void successive_ids_are_a_range_and_all_are_read_again_in_their_order() {
        assertThat(IdRanges.write(List.of(9L, 5L, 7L, 8L, 8L))).isEqualTo("5 7-9");
        assertThat(IdRanges.read("5 7-9")).containsExactly(5L, 7L, 8L, 9L);
        assertThat(IdRanges.write(List.of(Long.MAX_VALUE, Long.MAX_VALUE - 1)))
                .isEqualTo("9223372036854775806-9223372036854775807");
        assertThat(IdRanges.read(IdRanges.write(List.of()))).isEmpty();
    }
}
