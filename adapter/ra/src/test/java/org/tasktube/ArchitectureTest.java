package org.tasktube;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Set;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/** The arrows between the packages; docs/design.md says why. */
@AnalyzeClasses(packages = "org.tasktube", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule arrows_go_down = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("ra")
            .definedBy("org.tasktube.ra..")
            .layer("outbound")
            .definedBy("org.tasktube.outbound..")
            .layer("inflow")
            .definedBy("org.tasktube.inflow..")
            .layer("jca")
            .definedBy("org.tasktube.jca..")
            .layer("metrics")
            .definedBy("org.tasktube.metrics..")
            .layer("tracing")
            .definedBy("org.tasktube.tracing..")
            .layer("node.admin")
            .definedBy("org.tasktube.node.admin")
            .layer("node")
            .definedBy("org.tasktube.node")
            .layer("tube")
            .definedBy("org.tasktube.tube..")
            .layer("session")
            .definedBy("org.tasktube.session..")
            .layer("store.sql")
            .definedBy("org.tasktube.store.sql..")
            .layer("store")
            .definedBy("org.tasktube.store")
            .layer("api")
            .definedBy("org.tasktube", "org.tasktube.spi")
            .whereLayer("ra")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("outbound")
            .mayOnlyBeAccessedByLayers("ra")
            .whereLayer("inflow")
            .mayOnlyBeAccessedByLayers("ra")
            .whereLayer("jca")
            .mayOnlyBeAccessedByLayers("ra", "inflow", "outbound")
            .whereLayer("metrics")
            .mayOnlyBeAccessedByLayers("ra")
            .whereLayer("tracing")
            .mayOnlyBeAccessedByLayers("ra", "inflow", "node", "tube")
            .whereLayer("node.admin")
            .mayOnlyBeAccessedByLayers("ra")
            .whereLayer("node")
            .mayOnlyBeAccessedByLayers("ra", "outbound", "inflow", "node.admin")
            .whereLayer("tube")
            .mayOnlyBeAccessedByLayers("node", "node.admin", "inflow")
            .whereLayer("session")
            .mayOnlyBeAccessedByLayers("tube", "node", "node.admin", "outbound", "inflow")
            .whereLayer("store.sql")
            .mayOnlyBeAccessedByLayers("ra", "node", "node.admin", "tube")
            .whereLayer("store")
            .mayOnlyBeAccessedByLayers("ra", "node", "node.admin", "tube", "session", "inflow", "store.sql");

    @ArchTest
    static final ArchRule no_packages_import_each_other =
            slices().matching("org.tasktube.(**)").should().beFreeOfCycles();

    /** A newcomer can read each file of these rooms after those that it uses. */
    @ArchTest
    static final ArchRule no_files_use_each_other = slices().assignedFrom(new FileOfRoom(
                    "node",
                    "node.admin",
                    "tube",
                    "session",
                    "store",
                    "store.sql",
                    "inflow",
                    "outbound",
                    "metrics",
                    "tracing",
                    "jca",
                    "ra"))
            .should()
            .beFreeOfCycles();

    /** The file that a class is in, for classes of some packages. */
    private record FileOfRoom(Set<String> rooms) implements SliceAssignment {

        FileOfRoom(String... rooms) {
            this(Set.of(rooms));
        }

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String room = type.getPackageName().replaceFirst("org\\.tasktube\\.?", "");
            return rooms.contains(room) ? SliceIdentifier.of(room, file(type)) : SliceIdentifier.ignore();
        }

        private static String file(JavaClass type) {
            return type.getName().replaceFirst(".*\\.", "").replaceFirst("\\$.*", "");
        }

        @Override
        public String getDescription() {
            return "files of " + rooms;
        }
    }

    /** Applications may use the API alone. */
    @ArchTest
    static final ArchRule the_api_imports_nothing_of_ours = noClasses()
            .that()
            .resideInAPackage("org.tasktube")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.tasktube.*..");

    @ArchTest
    static final ArchRule only_the_roles_of_jca_know_jca = noClasses()
            .that()
            .resideInAnyPackage(
                    "org.tasktube.metrics..",
                    "org.tasktube.tracing..",
                    "org.tasktube.node..",
                    "org.tasktube.tube..",
                    "org.tasktube.session..",
                    "org.tasktube.store..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("jakarta.resource..");

    @ArchTest
    static final ArchRule rules_of_tubes_do_no_io = noClasses()
            .that()
            .resideInAnyPackage("org.tasktube.node..", "org.tasktube.tube..", "org.tasktube.session..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.sql..",
                    "javax.sql..",
                    "java.nio.file..",
                    "java.nio.channels..",
                    "java.net..",
                    "jakarta.persistence..");

    @ArchTest
    static final ArchRule graphite_is_known_in_one_package = noClasses()
            .that()
            .resideOutsideOfPackage("org.tasktube.metrics..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.codahale..");

    @ArchTest
    static final ArchRule opentelemetry_is_known_in_one_package = noClasses()
            .that()
            .resideOutsideOfPackage("org.tasktube.tracing..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.opentelemetry..", "jakarta.enterprise.inject..", "jakarta.enterprise.context..");

    @ArchTest
    static final ArchRule a_wildfly_is_known_in_one_package = noClasses()
            .that()
            .resideOutsideOfPackage("org.tasktube.ra.wildfly..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.jboss.jca..", "org.jboss.as..");

    @ArchTest
    static final ArchRule jmx_is_known_where_wildfly_is = noClasses()
            .that()
            .resideOutsideOfPackage("org.tasktube.ra.wildfly..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("javax.management..");

    /**
     * A call from any depth of an application's stack may not be able to free a lock, so {@code StackRoom} is asked
     * before {@code SessionRegistrations} and {@code DeliveryThreads} lock there. The others lock on threads of the
     * adapter's own, or of the server's metrics. A monitor needs no such check.
     */
    @ArchTest
    static final ArchRule locks_are_freed_by_those_who_know_that_they_can = noClasses()
            .that()
            .doNotHaveSimpleName("SessionRegistrations")
            .and()
            .doNotHaveSimpleName("Sessions")
            .and()
            .doNotHaveSimpleName("DeliveryThreads")
            .and()
            .doNotHaveSimpleName("GatheredAcks")
            .and()
            .doNotHaveSimpleName("OldestReadyAges")
            .should()
            .callMethodWhere(JavaCall.Predicates.target(HasName.Predicates.name("unlock")));
}
