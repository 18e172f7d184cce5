package org.tasktube.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.tasktube.admin.FilterField;
import org.tasktube.admin.TaskFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The suggestions of the filter box, as the script has them, and the filter's fields, which the documents have as well.
 */
class SuggestionsTest {

    private static final Path SCRIPT = Path.of("src/main/webapp/js/data/filter.js");
    private static final Pattern FIELD = Pattern.compile("^  \\['(\\w+)', '([^']+)', '[^']+'],$", Pattern.MULTILINE);
    private static final Pattern NUMERIC = Pattern.compile("NUMERIC = new Set\\(\\[([^]]*)]\\)");

    private static String script() throws IOException {
        return Files.readString(SCRIPT);
    }

    private static Map<String, String> suggested() throws IOException {
        Map<String, String> examples = new TreeMap<>();
        Matcher field = FIELD.matcher(script());
        while (field.find()) {
            examples.put(field.group(1), field.group(2));
        }
        return examples;
    }

    @Test
    void each_field_is_suggested_with_its_example() throws IOException {
        assertThat(suggested())
                .isEqualTo(Arrays.stream(FilterField.values())
                        .collect(Collectors.toMap(FilterField::label, FilterField::example)));
    }

    @Test
    void each_example_is_a_filter_on_its_field() throws IOException {
        suggested().forEach((field, example) -> assertThat(
                        TaskFilter.parse(example).conditions())
                .as(example)
                .singleElement()
                .satisfies(condition -> assertThat(condition.field().label()).isEqualTo(field)));
    }

    @Test
    void a_field_is_begun_with_the_sign_of_its_example() throws IOException {
        Matcher numeric = NUMERIC.matcher(script());
        assertThat(numeric.find()).isTrue();
        List<String> ordered = Arrays.stream(FilterField.values())
                .filter(field -> field.example().matches(".*[<>].*"))
                .map(FilterField::label)
                .toList();
        assertThat(Arrays.stream(numeric.group(1).split("[', ]+")).filter(name -> !name.isEmpty()))
                .containsExactlyInAnyOrderElementsOf(ordered);
    }
}
