package org.tasktube;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A reader sees a class in a minute, and a method at a glance. */
class SizeTest {

    private static final Pattern COMMENT = Pattern.compile("\\s*(/?\\*|//)");
    private static final int LONGEST_LINE = 120;
    private static final int MOST_LINES_OF_A_FILE = 450;
    private static final int MOST_LINES_OF_A_METHOD = 30;

    @Test
    void no_file_has_more_than_450_lines() throws IOException {
        Set<String> longer = new TreeSet<>();
        for (Path file : sources()) {
            if (Files.readAllLines(file).size() > MOST_LINES_OF_A_FILE) {
                longer.add(file.getFileName().toString());
            }
        }
        assertThat(longer).isEmpty();
    }

    /** The formatter wraps the code, and leaves comments as they are. */
    @Test
    void no_line_of_a_comment_has_more_than_120_characters() throws IOException {
        Set<String> longer = new TreeSet<>();
        for (Path file : sources()) {
            Files.readAllLines(file).stream()
                    .filter(line -> line.length() > LONGEST_LINE)
                    .filter(line -> COMMENT.matcher(line).lookingAt())
                    .forEach(line -> longer.add(file.getFileName() + ": " + line.strip()));
        }
        assertThat(longer).isEmpty();
    }

    @Test
    void no_method_has_more_than_30_lines() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask parser = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(sources()));
            SourcePositions positions = Trees.instance(parser).getSourcePositions();
            Set<String> longer = new TreeSet<>();
            for (CompilationUnitTree unit : parser.parse()) {
                new Methods(unit, positions).scan(unit, longer);
            }
            assertThat(longer).isEmpty();
        }
    }

    /** Collects the methods that are too long, from the line of the name to that of the last brace. */
    private static final class Methods extends TreeScanner<Void, Set<String>> {

        private final CompilationUnitTree unit;
        private final SourcePositions positions;

        Methods(CompilationUnitTree unit, SourcePositions positions) {
            this.unit = unit;
            this.positions = positions;
        }

        @Override
        public Void visitMethod(MethodTree method, Set<String> longer) {
            if (method.getBody() != null) {
                LineMap lines = unit.getLineMap();
                long first = lines.getLineNumber(positions.getStartPosition(unit, method.getBody()));
                long last = lines.getLineNumber(positions.getEndPosition(unit, method.getBody()));
                if (last - first + 1 > MOST_LINES_OF_A_METHOD) {
                    longer.add(Path.of(unit.getSourceFile().getName()).getFileName() + " " + method.getName());
                }
            }
            return super.visitMethod(method, longer);
        }
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : List.of("api", "ra", "timers", "console")) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
                sources.addAll(
                        files.filter(file -> file.toString().endsWith(".java")).collect(Collectors.toList()));
            }
        }
        return sources;
    }
}
