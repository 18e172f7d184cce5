package org.tasktube.itest.app;

import java.io.File;
import java.net.URISyntaxException;
import org.assertj.core.api.Assertions;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/**
 * The application that the tests deploy and run in. It has no manifest line for TaskTube: the server shows it the API.
 */
public final class Deployments {

    private static final String PERSISTENCE = """
            <persistence xmlns="https://jakarta.ee/xml/ns/persistence" version="3.0">
              <persistence-unit name="app">
                <jta-data-source>java:jboss/datasources/ExampleDS</jta-data-source>
                <properties>
                  <property name="jakarta.persistence.schema-generation.database.action" value="create"/>
                </properties>
              </persistence-unit>
            </persistence>
            """;

    private Deployments() {}

    public static WebArchive application() {
        return ShrinkWrap.create(WebArchive.class, "itest.war")
                .addPackage(Deployments.class.getPackage())
                .addAsLibraries(jarOf(Assertions.class), jarOf(net.bytebuddy.ByteBuddy.class))
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml")
                .addAsResource(new StringAsset(PERSISTENCE), "META-INF/persistence.xml");
    }

    private static File jarOf(Class<?> type) {
        try {
            return new File(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
