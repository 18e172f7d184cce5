package org.tasktube.console.rest;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

import static org.assertj.core.api.Assertions.assertThat;

/** The rules for all resources. */
class ResourcesTest {

    private static final Set<String> CHANGES = Set.of("POST", "PUT", "DELETE", "PATCH");

    @Test
    void each_method_of_a_resource_needs_a_right() {
        assertThat(methods()).isNotEmpty().allMatch(method -> method.isAnnotationPresent(Needs.class));
    }

    @Test
    void only_a_logout_changes_something_with_the_right_to_view() {
        assertThat(methods()
                        .filter(method -> CHANGES.contains(verb(method)))
                        .filter(method -> method.getAnnotation(Needs.class).value() == Right.VIEW)
                        .map(Method::getName))
                .containsExactly("logout");
    }

    @Test
    void the_description_has_each_method_with_its_right_and_no_other() throws IOException {
        Map<String, String> coded = new TreeMap<>();
        methods()
                .forEach(method -> coded.put(
                        verb(method) + " " + path(method),
                        method.getAnnotation(Needs.class).value().name()));
        Map<String, String> described = new TreeMap<>();
        JsonObject paths = document().getJsonObject("paths");
        for (String path : paths.keySet()) {
            JsonObject verbs = paths.getJsonObject(path);
            verbs.keySet().stream()
                    .filter(verb -> !verb.equals("parameters"))
                    .forEach(verb -> described.put(
                            verb.toUpperCase(Locale.ROOT) + " " + path,
                            verbs.getJsonObject(verb).getString("x-right")));
        }
        assertThat(described).isEqualTo(coded);
    }

    @Test
    void each_reference_of_the_description_leads_to_a_part_of_it() throws IOException {
        JsonObject document = document();
        List<String> broken = java.util.regex.Pattern.compile("\"\\$ref\":\"#([^\"]+)\"")
                .matcher(document.toString())
                .results()
                .map(found -> found.group(1))
                .filter(pointer -> !Json.createPointer(pointer).containsValue(document))
                .collect(Collectors.toList());
        assertThat(broken).isEmpty();
    }

    @Test
    void the_description_has_each_act_on_a_task() throws IOException {
        assertThat(document().toString())
                .contains(Arrays.stream(TaskAct.values())
                        .map(act -> '"' + act.label() + '"')
                        .toList());
    }

    private static JsonObject document() throws IOException {
        try (JsonReader reader = Json.createReader(new ByteArrayInputStream(OpenApiResource.read()))) {
            return reader.readObject();
        }
    }

    private static Stream<Method> methods() {
        return Api.RESOURCES.stream()
                .flatMap(resource -> Arrays.stream(resource.getDeclaredMethods()))
                .filter(method -> !verb(method).isEmpty());
    }

    private static String verb(Method method) {
        return Arrays.stream(method.getAnnotations())
                .map(Annotation::annotationType)
                .filter(type -> type.isAnnotationPresent(HttpMethod.class))
                .map(type -> type.getAnnotation(HttpMethod.class).value())
                .findFirst()
                .orElse("");
    }

    private static String path(Method method) {
        String root = "/" + method.getDeclaringClass().getAnnotation(Path.class).value();
        Path path = method.getAnnotation(Path.class);
        return path == null ? root : root + "/" + path.value();
    }
}
