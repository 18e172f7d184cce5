package org.tasktube.itest.chaos;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.tasktube.itest.lanes.Lane;
import org.tasktube.itest.lanes.LaneBean;

/** The application of the chaos, with a bean per lane. */
final class LaneWar {

    static final String NAME = "lanes.war";

    private static final String DESCRIPTOR = """
            <ejb-jar xmlns="https://jakarta.ee/xml/ns/jakartaee" version="4.0">
              <enterprise-beans>
            %s
              </enterprise-beans>
            </ejb-jar>
            """;

    private static final String BEAN = """
                <message-driven>
                  <ejb-name>%1$s</ejb-name>
                  <ejb-class>%2$s</ejb-class>
                  <messaging-type>org.tasktube.TaskListener</messaging-type>
                  <activation-config>
            %3$s
                  </activation-config>
                </message-driven>""";

    private static final String PROPERTY = """
                    <activation-config-property>
                      <activation-config-property-name>%s</activation-config-property-name>
                      <activation-config-property-value>%s</activation-config-property-value>
                    </activation-config-property>""";

    private LaneWar() {}

    static Path in(Path directory) {
        Path file = directory.resolve(NAME);
        ShrinkWrap.create(WebArchive.class, NAME)
                .addPackage(Lane.class.getPackage())
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml")
                .addAsWebInfResource(new StringAsset(descriptor()), "ejb-jar.xml")
                .as(ZipExporter.class)
                .exportTo(file.toFile(), true);
        return file;
    }

    private static String descriptor() {
        return DESCRIPTOR.formatted(Arrays.stream(Lane.values())
                .filter(Lane::hasBean)
                .map(LaneWar::bean)
                .collect(Collectors.joining("\n")));
    }

    private static String bean(Lane lane) {
        return BEAN.formatted(
                lane.name(),
                LaneBean.class.getName(),
                String.join(
                        "\n",
                        property("tube", lane.tube()),
                        property("maxSession", "3"),
                        property("maxAttempts", "0"),
                        property("retryDelay", lane.hasRetryDelay() ? "50ms" : "0s"),
                        property("maxRetryDelay", lane.hasRetryDelay() ? "500ms" : "0s"),
                        property("transactionTimeout", LaneBean.TRANSACTION_TIMEOUT + "s")));
    }

    private static String property(String name, String value) {
        return PROPERTY.formatted(name, value);
    }
}
