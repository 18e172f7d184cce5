package org.tasktube.bench;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** That the benchmark runs, and that its reference is still what the adapter does. */
@Tag("full")
class BenchmarkIT {

    @Test
    void every_figure_is_measured() throws IOException, InterruptedException {
        String report = Files.readString(Benchmark.run(Sizes.QUICK));
        assertThat(report)
                .contains("| put", "| drain", "| flow", "sub-queues", "| latency", "| heap", "| idle")
                .doesNotContain("NaN", "Infinity");
    }
}
