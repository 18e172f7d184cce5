package org.tasktube.itest.trouble;

import java.nio.file.Path;
import org.jboss.shrinkwrap.api.Archive;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.tasktube.itest.probe.IdleBean;

/** Applications that are made for a test. */
public final class Wars {

    private Wars() {}

    /** A war of a package's classes, under the name of the package. */
    public static Path of(Path directory, String name) {
        return written(war(name), directory.resolve(name + ".war"));
    }

    /** As {@link #of}, with that jboss-ejb3.xml. */
    static Path of(Path directory, String name, String jbossEjb) {
        return written(
                war(name).addAsWebInfResource(new StringAsset(jbossEjb), "jboss-ejb3.xml"),
                directory.resolve(name + ".war"));
    }

    /** As {@link #of}, with CDI, and with a service that a class of the war provides. */
    static Path withBeans(Path directory, String name, Class<?> service, Class<?> provider) {
        return written(
                war(name)
                        .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml")
                        .addAsResource(new StringAsset(provider.getName()), "META-INF/services/" + service.getName()),
                directory.resolve(name + ".war"));
    }

    private static WebArchive war(String name) {
        return ShrinkWrap.create(WebArchive.class, name + ".war").addPackage("org.tasktube.itest." + name);
    }

    /** One bean that has nothing to do, with activation properties given as name, value, name, value. */
    static Path bean(Path directory, String name, String... properties) {
        return written(beanJar(name, properties), directory.resolve(name + ".jar"));
    }

    /** As {@link #bean}, for a server that does not show the API to all deployments. */
    static Path dependentBean(Path directory, String name, String dependencies, String... properties) {
        return written(dependentJar(name, dependencies, properties), directory.resolve(name + ".jar"));
    }

    /** As {@link #dependentBean}, of the tube "nosuch", and with the adapter named by a jboss-ejb3.xml. */
    static Path boundBean(Path directory, String name, String dependencies, String adapter) {
        String binding = """
                <jboss:ejb-jar xmlns:jboss="http://www.jboss.com/xml/ns/javaee" xmlns="https://jakarta.ee/xml/ns/jakartaee"
                    xmlns:r="urn:resource-adapter-binding:2.0" version="4.0">
                  <assembly-descriptor>
                    <r:resource-adapter-binding>
                      <ejb-name>%s</ejb-name>
                      <r:resource-adapter-name>%s</r:resource-adapter-name>
                    </r:resource-adapter-binding>
                  </assembly-descriptor>
                </jboss:ejb-jar>
                """.formatted(name, adapter);
        JavaArchive jar = dependentJar(name, dependencies, "tube", "nosuch")
                .addAsManifestResource(new StringAsset(binding), "jboss-ejb3.xml");
        return written(jar, directory.resolve(name + ".jar"));
    }

    private static JavaArchive dependentJar(String name, String dependencies, String... properties) {
        return beanJar(name, properties)
                .setManifest(new StringAsset("Manifest-Version: 1.0\nDependencies: " + dependencies + "\n"));
    }

    private static JavaArchive beanJar(String name, String... properties) {
        StringBuilder config = new StringBuilder();
        for (int i = 0; i < properties.length; i += 2) {
            config.append("""
                            <activation-config-property>
                              <activation-config-property-name>%s</activation-config-property-name>
                              <activation-config-property-value>%s</activation-config-property-value>
                            </activation-config-property>
                    """.formatted(properties[i], properties[i + 1]));
        }
        String descriptor = """
                <ejb-jar xmlns="https://jakarta.ee/xml/ns/jakartaee" version="4.0">
                  <enterprise-beans>
                    <message-driven>
                      <ejb-name>%s</ejb-name>
                      <ejb-class>org.tasktube.itest.probe.IdleBean</ejb-class>
                      <messaging-type>org.tasktube.TaskListener</messaging-type>
                      <activation-config>
                %s      </activation-config>
                    </message-driven>
                  </enterprise-beans>
                </ejb-jar>
                """.formatted(name, config);
        return ShrinkWrap.create(JavaArchive.class, name + ".jar")
                .addClass(IdleBean.class)
                .addAsManifestResource(new StringAsset(descriptor), "ejb-jar.xml");
    }

    private static Path written(Archive<?> archive, Path file) {
        archive.as(ZipExporter.class).exportTo(file.toFile(), true);
        return file;
    }
}
