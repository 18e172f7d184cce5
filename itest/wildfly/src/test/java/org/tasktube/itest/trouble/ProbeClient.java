package org.tasktube.itest.trouble;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.probe.Probe;

/** The probe application, and how to ask it. */
final class ProbeClient {

    static final String WAR = "probe.war";

    private static final String PERSISTENCE = """
            <persistence xmlns="https://jakarta.ee/xml/ns/persistence" version="3.0">
              <persistence-unit name="probe">
                <jta-data-source>java:jboss/datasources/ExampleDS</jta-data-source>
                <properties>
                  <property name="hibernate.hbm2ddl.auto" value="update"/>
                </properties>
              </persistence-unit>
            </persistence>
            """;

    private final WildFly server;
    private final String context;
    private final HttpClient http = HttpClient.newBuilder()
            // HTTP/2's connection is taken away from requests that take long
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    ProbeClient(WildFly server) {
        this(server, "probe");
    }

    /** Of another application that answers questions. */
    ProbeClient(WildFly server, String context) {
        this.server = server;
        this.context = context;
    }

    /** The war; the dependencies are its manifest's, none where the server shows the API to all deployments. */
    static Path war(Path directory, String dependencies) {
        WebArchive war = ShrinkWrap.create(WebArchive.class, WAR)
                .addPackage(Probe.class.getPackage())
                .addAsResource(new StringAsset(PERSISTENCE), "META-INF/persistence.xml");
        if (!dependencies.isEmpty()) {
            war.setManifest(new StringAsset("Manifest-Version: 1.0\nDependencies: " + dependencies + "\n"));
        }
        Path file = directory.resolve(WAR);
        war.as(ZipExporter.class).exportTo(file.toFile(), true);
        return file;
    }

    /** The answer to a question that must be answered. */
    String ask(String question) {
        try {
            HttpResponse<String> response = get(question);
            if (response.statusCode() != 200) {
                throw new IllegalStateException(question + ": " + response.statusCode() + " " + response.body());
            }
            return response.body();
        } catch (IOException e) {
            throw new IllegalStateException(question + ": " + e, e);
        }
    }

    /** The answer or the error, also that of a server that is not there. */
    String tryToAsk(String question) {
        try {
            return get(question).body();
        } catch (IOException e) {
            return e.toString();
        }
    }

    long number(String question) {
        return Long.parseLong(ask(question));
    }

    private HttpResponse<String> get(String question) throws IOException {
        URI uri = server.http("/" + context + "/" + question);
        try {
            return http.send(
                    HttpRequest.newBuilder(uri).timeout(Duration.ofMinutes(2)).build(), BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
