package org.tasktube.console;

import com.microsoft.playwright.impl.driver.Driver;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.itest.watchdog.Tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The console's scripts without a browser, on the node of Playwright's driver. */
@Timeout(300)
class ScriptsTest {

    private static final Path TARGET = Path.of("target").toAbsolutePath();
    private static final String TYPESCRIPT = "META-INF/resources/webjars/typescript/";

    private static String node;

    @BeforeAll
    static void findNode() {
        assumeTrue(Tool.CHROMIUM.isThere(), Tool.CHROMIUM::missing);
        System.setProperty("playwright.driver.tmpdir", TARGET.toString());
        node = Driver.ensureDriverInstalled(Map.of(), false)
                .createProcessBuilder()
                .command()
                .get(0);
    }

    @Test
    void each_rule_of_a_module_holds() throws Exception {
        List<String> command = new ArrayList<>(List.of("--test", "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"));
        try (Stream<Path> tests = Files.list(Path.of("src/test/js"))) {
            tests.map(Path::toString)
                    .filter(name -> name.endsWith(".test.mjs"))
                    .sorted()
                    .forEach(command::add);
        }
        assertThat(command).as("files with tests").hasSizeGreaterThan(5);
        run(command);
    }

    @Test
    void no_script_has_a_fault_of_types_or_an_unused_name() throws Exception {
        run(List.of(typescript().resolve("tsc.js").toString(), "-p", "jsconfig.json"));
    }

    private static void run(List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(node));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** Unpacks the compiler, and returns the folder with it and its descriptions of a browser. */
    private static Path typescript() throws IOException {
        Path folder = Files.createDirectories(TARGET.resolve("typescript"));
        URI any = URI.create(Collections.list(ScriptsTest.class.getClassLoader().getResources(TYPESCRIPT))
                .get(0)
                .toString());
        try (JarFile jar = ((JarURLConnection) any.toURL().openConnection()).getJarFile()) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                if (name.startsWith(TYPESCRIPT) && name.matches(".*/lib/[^/]+[.](js|d[.]ts|json)")) {
                    try (InputStream in = jar.getInputStream(entry)) {
                        Files.write(folder.resolve(name.substring(name.lastIndexOf('/') + 1)), in.readAllBytes());
                    }
                }
            }
        }
        return folder;
    }
}
