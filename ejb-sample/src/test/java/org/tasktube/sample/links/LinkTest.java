package org.tasktube.sample.links;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LinkTest {

    @ParameterizedTest
    @EnumSource(LinkKind.class)
    void a_line_is_read_as_it_was_written(LinkKind kind) {
        Link link = new Link(kind, "http://host/x", "");
        assertThat(Link.parse(link.line())).isEqualTo(link);
    }

    @Test
    void a_fragment_may_have_a_hash() {
        Link link = new Link(LinkKind.PAGE, "http://host/x", "a#b");
        assertThat(Link.parse(link.line())).isEqualTo(link);
    }

    @Test
    void what_is_no_address_may_have_a_hash() {
        Link link = new Link(LinkKind.NO_ADDRESS, "http:// #x", "");
        assertThat(Link.parse(link.line())).isEqualTo(link);
    }

    @Test
    void packed_lines_come_out_as_they_went_in() {
        List<String> lines = List.of("phttp://host/x#ä", "", "ihttp://host/\u2028y");
        assertThat(PackedLines.unpack(PackedLines.pack(lines.stream()))).isEqualTo(lines);
        assertThat(PackedLines.unpack(PackedLines.pack(Stream.empty()))).isEmpty();
    }

    @Test
    void links_that_take_too_much_are_refused() {
        Stream<String> random = IntStream.range(0, 400_000).mapToObj(i -> Integer.toHexString(i * 0x9E3779B9));
        assertThatThrownBy(() -> PackedLines.pack(random))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("over the limit of 1048576");
    }
}
