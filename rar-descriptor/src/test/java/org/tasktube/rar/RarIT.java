package org.tasktube.rar;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import org.jboss.jca.validator.Validation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** What the build made, by the rules of Jakarta Connectors and by what servers need to find in it. */
class RarIT {

    private static final Path TARGET = Path.of(System.getProperty("target"));
    private static final Path RAR = TARGET.resolve("tasktube.rar");

    @Test
    void the_rar_keeps_every_rule_that_ironjacamar_validates(@TempDir Path report) throws IOException {
        int result = Validation.validate(RAR.toUri().toURL(), report.toString());

        assertThat(result).withFailMessage(() -> read(report)).isZero();
    }

    @Test
    void the_rar_has_the_api_with_it_and_activates_itself() throws IOException {
        assertThat(entries(RAR))
                .contains("META-INF/ra.xml", "META-INF/ironjacamar.xml")
                .filteredOn(name -> name.endsWith(".jar"))
                .hasSize(3)
                .anyMatch(RarIT::isGraphite)
                .anyMatch(name -> name.startsWith("tasktube-api"))
                .anyMatch(name -> name.startsWith("tasktube-ra"));
    }

    @Test
    void the_rar_for_a_configured_server_has_neither() throws IOException {
        assertThat(entries(TARGET.resolve("tasktube-adapter-only.jar")))
                .contains("META-INF/ra.xml")
                .doesNotContain("META-INF/ironjacamar.xml")
                .filteredOn(name -> name.endsWith(".jar"))
                .hasSize(2)
                .anyMatch(RarIT::isGraphite)
                .anyMatch(name -> name.startsWith("tasktube-ra"));
    }

    @Test
    void each_archive_has_the_licence_with_it() throws IOException {
        Path zip = TARGET.resolve("tasktube-wildfly.zip");
        assertThat(entries(zip)).contains("tasktube-wildfly/META-INF/LICENSE");
        assertLicensed(Files.readAllBytes(RAR), "tasktube.rar");
        try (ZipFile archives = new ZipFile(zip.toFile())) {
            for (ZipEntry archive : archives.stream().filter(RarIT::isArchive).toList()) {
                assertLicensed(archives.getInputStream(archive).readAllBytes(), archive.getName());
            }
        }
    }

    @Test
    void the_sbom_in_the_zip_lists_each_jar_of_the_rar() throws IOException {
        List<String> jars = entries(RAR).stream()
                .filter(name -> name.endsWith(".jar"))
                .map(name -> name.replaceFirst("(.*?)-([0-9].*)[.]jar", "/$1@$2?type=jar"))
                .toList();
        Path archive = TARGET.resolve("tasktube-wildfly.zip");
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            byte[] sbom = zip.getInputStream(zip.getEntry("tasktube-wildfly/sbom.json"))
                    .readAllBytes();
            List<String> listed = Pattern.compile("\"purl\": \"[^\"]*(/[^\"]*type=jar)\"")
                    .matcher(new String(sbom, UTF_8))
                    .results()
                    .map(purl -> purl.group(1))
                    .toList();
            assertThat(listed).containsExactlyInAnyOrderElementsOf(jars);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PostgreSQL", "H2"})
    void the_jar_of_the_adapter_alone_prints_the_tables(String arguments, @TempDir Path empty) throws Exception {
        Path jar = empty.resolve("tasktube-ra.jar");
        try (ZipFile rar = new ZipFile(RAR.toFile())) {
            ZipEntry adapter = rar.stream()
                    .filter(entry -> entry.getName().startsWith("tasktube-ra-"))
                    .findFirst()
                    .orElseThrow();
            Files.copy(rar.getInputStream(adapter), jar);
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                jar.toString(),
                "org.tasktube.store.sql.Schema"));
        command.addAll(List.of(arguments.split(" ")));
        Process print = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(print.getInputStream().readAllBytes(), UTF_8);
        assertThat(print.waitFor()).as(printed).isZero();
        assertThat(printed).contains("tasktube_schema");
    }

    /** The archive, and TaskTube's in it. */
    private static void assertLicensed(byte[] archive, String name) throws IOException {
        boolean licensed = false;
        try (ZipInputStream entries = new ZipInputStream(new ByteArrayInputStream(archive))) {
            for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
                licensed |= entry.getName().equals("META-INF/LICENSE");
                if (isArchive(entry) && !isGraphite(entry.getName())) {
                    assertLicensed(entries.readAllBytes(), name + "!" + entry.getName());
                }
            }
        }
        assertThat(licensed).as(name).isTrue();
    }

    private static boolean isArchive(ZipEntry entry) {
        return entry.getName().endsWith(".jar") || entry.getName().endsWith(".rar");
    }

    /** The one library; not what it would bring with it. */
    private static boolean isGraphite(String name) {
        return name.startsWith("metrics-graphite");
    }

    private static List<String> entries(Path archive) throws IOException {
        try (JarFile jar = new JarFile(archive.toFile())) {
            return jar.stream().map(ZipEntry::getName).toList();
        }
    }

    private static String read(Path directory) {
        try (Stream<Path> reports = Files.list(directory)) {
            StringBuilder text = new StringBuilder("the validator has found:\n");
            for (Path report : reports.toList()) {
                text.append(Files.readString(report));
            }
            return text.toString();
        } catch (IOException e) {
            return "the validator has failed, and left no report: " + e;
        }
    }
}
