package org.tasktube.itest.trouble;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.importer.ExplodedImporter;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.ConfiguredHome;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.WildFly;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Does the tutorial: writes its files, builds the application, and runs its commands one after the other, each with the
 * output that the page shows. On each server and database that the tests inside a server run on.
 */
@Tag("arquillian")
@Tag("full")
class TutorialIT {

    private static final Path DIRECTORY = Servers.directory("tutorial");
    private static final Path PAGE = Path.of("..", "..", "docs", "tutorial.md");

    private static final Pattern REVISION = Pattern.compile("<revision>([^<]+)</revision>");
    private static final Pattern FILE = Pattern.compile("(?ms)^`(src/main/[^`]+|pom\\.xml)`:\n```\\w+\n(.*?)^```$");
    private static final Pattern COMMANDS = Pattern.compile("(?ms)^```\n(.*?)^```$");
    /** A command, and the lines that follow it up to the next one. */
    private static final Pattern STEP = Pattern.compile("(?m)^\\$ (.*)\n((?:(?!\\$ ).*\n)*)");

    private static final Pattern ARGUMENT = Pattern.compile("'([^']*)'|(\\S+)");

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void each_block_of_the_tutorial_does_what_the_page_says() throws IOException {
        String page = Files.readString(PAGE);
        Map<String, String> files = files(page);
        String pom = Files.readString(Path.of("..", "..", "pom.xml"));
        assertThat(found(version("tasktube-api"), files.get("pom.xml"))).isEqualTo(found(REVISION, pom));
        for (String plugin : List.of("maven-compiler-plugin", "maven-war-plugin")) {
            // Maven 3.8 has others by default, which do not build it
            assertThat(found(version(plugin), files.get("pom.xml"))).isEqualTo(found(version(plugin), pom));
        }
        try (Postgres postgres = new Postgres(DIRECTORY.resolve("data"));
                WildFly server = new WildFly(home(postgres), Servers.options())) {
            server.start();
            server.deploy(war(files));
            List<String> done = new ArrayList<>();
            for (Matcher blocks = COMMANDS.matcher(page); blocks.find(); ) {
                run(server, blocks.group(1), done);
            }
            assertThat(done).as("commands of the page").hasSize(10);
            assertThat(server.log().lines())
                    .anyMatch(line -> line.contains("TASKTUBE0201"))
                    .anyMatch(line -> line.contains("TASKTUBE0202") && line.contains("letter 2 has no address: bob"));
        }
    }

    private static Path home(Postgres postgres) {
        if (System.getProperty("database").equals("h2")) {
            return ConfiguredHome.H2.copyTo(DIRECTORY);
        }
        postgres.start();
        return ConfiguredHome.POSTGRESQL.copyTo(DIRECTORY, postgres.url());
    }

    private static Map<String, String> files(String page) {
        Map<String, String> files = new TreeMap<>();
        for (Matcher file = FILE.matcher(page); file.find(); ) {
            files.put(file.group(1), file.group(2));
        }
        return files;
    }

    private static Pattern version(String artifact) {
        return Pattern.compile("(?s)<artifactId>" + artifact + "</artifactId>\\s*<version>([^<]+)</version>");
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as(pattern.pattern()).isTrue();
        return matcher.group(1);
    }

    /** Builds what {@code mvn package} builds of the files. */
    private static Path war(Map<String, String> files) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = DIRECTORY.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
            if (file.getKey().endsWith(".java")) {
                sources.add(path);
            }
        }
        Path classes = Files.createDirectories(DIRECTORY.resolve("classes"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-d",
                    classes.toString(),
                    "-classpath",
                    System.getProperty("java.class.path"),
                    "-proc:none",
                    "--release",
                    "17");
            assertThat(compiler.getTask(
                                    null, manager, null, options, null, manager.getJavaFileObjectsFromPaths(sources))
                            .call())
                    .as("it compiles")
                    .isTrue();
        }
        Path war = DIRECTORY.resolve("letters.war");
        WebArchive archive = ShrinkWrap.create(WebArchive.class, "letters.war");
        for (Path root : List.of(classes, DIRECTORY.resolve("src/main/resources"))) {
            archive.merge(
                    ShrinkWrap.create(WebArchive.class)
                            .as(ExplodedImporter.class)
                            .importDirectory(root.toFile())
                            .as(WebArchive.class),
                    "/WEB-INF/classes");
        }
        archive.as(ZipExporter.class).exportTo(war.toFile(), true);
        return war;
    }

    /** Runs the commands of a block: requests by curl with the output that follows each, or lines of jboss-cli. */
    private void run(WildFly server, String block, List<String> done) {
        if (block.startsWith("/subsystem")) {
            List<String> lines = block.lines().toList();
            server.cli(lines.toArray(String[]::new));
            done.addAll(lines);
        } else if (block.startsWith("$ curl")) {
            for (Matcher step = STEP.matcher(block); step.find(); ) {
                check(server, step.group(1), step.group(2).strip());
                done.add(step.group(1));
            }
        }
    }

    /** A reader asks again until the bean has worked, and corrects the letter when its task is buried. */
    private void check(WildFly server, String command, String output) {
        if (!command.contains(" -d ")) {
            Eventually.holds(() -> curl(server, command).strip().equals(output), command + " answers " + output);
            return;
        }
        if (command.contains("-d id=")) {
            Eventually.holds(() -> isLogged(server, "TASKTUBE0202"), "the task is buried");
        }
        assertThat(curl(server, command).strip()).as(command).isEqualTo(output);
    }

    private static boolean isLogged(WildFly server, String text) {
        return server.log().lines().stream().anyMatch(line -> line.contains(text));
    }

    /** Does what curl does with the options that the page uses. */
    private String curl(WildFly server, String command) {
        List<String> arguments = ARGUMENT.matcher(command)
                .results()
                .map(each -> Optional.ofNullable(each.group(1)).orElse(each.group(2)))
                .toList();
        URI address = URI.create(arguments.get(arguments.size() - 1));
        HttpRequest.Builder request = HttpRequest.newBuilder(
                address.getPort() == 8090
                        ? server.console(address.getPath().replace("/tasktube/", ""))
                        : server.http(address.getPath()));
        List<String> form = new ArrayList<>();
        String type = "application/x-www-form-urlencoded";
        for (int i = 1; i < arguments.size() - 1; i++) {
            switch (arguments.get(i)) {
                case "-d" -> form.add(arguments.get(++i));
                case "-H" -> type = arguments.get(++i).replace("Content-Type: ", "");
                case "-u" ->
                    request.header(
                            "Authorization",
                            "Basic "
                                    + Base64.getEncoder()
                                            .encodeToString(arguments.get(++i).getBytes(UTF_8)));
                case "-o", "-w" -> i++;
                default -> assertThat(arguments.get(i)).isEqualTo("-s");
            }
        }
        if (!form.isEmpty()) {
            request.header("Content-Type", type).POST(BodyPublishers.ofString(String.join("&", form)));
        }
        try {
            var answer = http.send(request.build(), BodyHandlers.ofString());
            return arguments.contains("-w")
                    ? String.valueOf(answer.statusCode())
                    : answer.body().replace("\r", "");
        } catch (IOException e) {
            throw new IllegalStateException(command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(command, e);
        }
    }
}
