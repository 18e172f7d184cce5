package org.tasktube.tube;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.tasktube.admin.Histogram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TimeHistogramTest {

    private final TimeHistogram histogram = new TimeHistogram();

    private void add(Duration time) {
        histogram.add(TimeUnit.MICROSECONDS.convert(time));
    }

    @Test
    void a_time_counts_at_the_first_bound_that_it_does_not_exceed() {
        for (int i = 0; i < Histogram.BOUNDS.size(); i++) {
            Duration bound = Histogram.BOUNDS.get(i);
            long before = histogram.read().counts().get(i);
            add(bound);
            add(bound.minusNanos(1_000));
            assertThat(histogram.read().counts().get(i)).isEqualTo(before + 2);
            long next = histogram.read().counts().get(i + 1);
            add(bound.plusNanos(1_000));
            assertThat(histogram.read().counts().get(i + 1)).isEqualTo(next + 1);
        }
        assertThat(histogram.read().total()).isEqualTo(3L * Histogram.BOUNDS.size());
    }

    @Test
    void the_sum_is_that_of_all_times_and_a_negative_time_is_zero() {
        add(Duration.ofMillis(1_500));
        add(Duration.ofDays(10));
        add(Duration.ofMillis(-7));
        assertThat(histogram.read().sum()).isEqualTo(Duration.ofDays(10).plusMillis(1_500));
        assertThat(histogram.read().counts().get(0)).isEqualTo(1);
        assertThat(histogram.read().counts().get(Histogram.BOUNDS.size())).isEqualTo(1);
    }

    @Test
    void numbers_that_do_not_fit_the_bounds_are_refused() {
        assertThatThrownBy(() -> new Histogram(List.of(1L), Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 numbers do not fit 15 bounds");
    }
}
