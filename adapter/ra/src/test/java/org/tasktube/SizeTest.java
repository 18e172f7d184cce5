package org.tasktube;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Long lists of parameters fail the build. A long file or method does not, because one that reads well beats two that
 * do not: target/sizes.md names the largest ones for the reader of a change.
 */
class SizeTest {

    private static final int MOST_PARAMETERS = 6;

    /** A line of the audit has as many parts; the others wait for a better shape. Take away, and add none. */
    private static final Set<String> LONGER = Set.of("Histories.java event", "Log.java act");

    private static final int SHOWN = 10;
    private static final Path REPORT = Path.of("target", "sizes.md");

    private record Size(String kind, String name, int size) {}

    @Test
    void no_further_method_has_more_than_6_parameters() throws IOException {
        List<Size> sizes = sizes();
        Files.createDirectories(REPORT.getParent());
        Files.writeString(
                REPORT,
                Stream.of("lines of a file", "lines of a method", "parameters", "components")
                        .map(kind -> largest(sizes, kind))
                        .collect(Collectors.joining("\n")));
        assertThat(sizes)
                .filteredOn(size -> size.kind.equals("parameters") && size.size > MOST_PARAMETERS)
                .extracting(Size::name)
                .containsExactlyInAnyOrderElementsOf(LONGER);
    }

    private static String largest(List<Size> sizes, String kind) {
        return "| " + kind + " | |\n| ---: | --- |\n"
                + sizes.stream()
                        .filter(size -> size.kind.equals(kind))
                        .sorted(Comparator.comparingInt(Size::size).reversed())
                        .limit(SHOWN)
                        .map(size -> "| " + size.size + " | " + size.name + " |\n")
                        .collect(Collectors.joining());
    }

    private static List<Size> sizes() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<Size> sizes = new ArrayList<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask parser = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(sources()));
            SourcePositions positions = Trees.instance(parser).getSourcePositions();
            for (CompilationUnitTree unit : parser.parse()) {
                new Sizes(unit, positions).scan(unit, sizes);
            }
        }
        return sizes;
    }

    private static final class Sizes extends TreeScanner<Void, List<Size>> {

        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final String file;

        Sizes(CompilationUnitTree unit, SourcePositions positions) {
            this.unit = unit;
            this.positions = positions;
            file = Path.of(unit.getSourceFile().getName()).getFileName().toString();
        }

        @Override
        public Void visitCompilationUnit(CompilationUnitTree tree, List<Size> sizes) {
            sizes.add(new Size("lines of a file", file, lines(tree)));
            return super.visitCompilationUnit(tree, sizes);
        }

        @Override
        public Void visitClass(ClassTree type, List<Size> sizes) {
            if (type.getKind() == Tree.Kind.RECORD) {
                long components = type.getMembers().stream()
                        .filter(VariableTree.class::isInstance)
                        .filter(member -> !((VariableTree) member)
                                .getModifiers()
                                .getFlags()
                                .contains(Modifier.STATIC))
                        .count();
                sizes.add(new Size("components", file + " " + type.getSimpleName(), (int) components));
            }
            return super.visitClass(type, sizes);
        }

        @Override
        public Void visitMethod(MethodTree method, List<Size> sizes) {
            String name = file + " " + method.getName();
            if (method.getBody() != null) {
                sizes.add(new Size("lines of a method", name, lines(method.getBody())));
            }
            if (method.getReturnType() != null) {
                sizes.add(new Size("parameters", name, method.getParameters().size()));
            }
            return super.visitMethod(method, sizes);
        }

        private int lines(Tree tree) {
            LineMap lines = unit.getLineMap();
            return (int) (lines.getLineNumber(positions.getEndPosition(unit, tree))
                    - lines.getLineNumber(positions.getStartPosition(unit, tree))
                    + 1);
        }
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : List.of("api", "ra", "timers", "console")) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            }
        }
        return sources;
    }
}
