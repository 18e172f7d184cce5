package org.tasktube;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

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
            .layer("queue")
            .definedBy("org.tasktube.queue..")
            .layer("store.jpa")
            .definedBy("org.tasktube.store.jpa..")
            .layer("store.memory")
            .definedBy("org.tasktube.store.memory..")
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
            .whereLayer("queue")
            .mayOnlyBeAccessedByLayers("ra", "outbound", "inflow")
            .whereLayer("store.jpa")
            .mayOnlyBeAccessedByLayers("ra")
            .whereLayer("store.memory")
            .mayOnlyBeAccessedByLayers("ra")
            .whereLayer("store")
            .mayOnlyBeAccessedByLayers("ra", "queue", "store.jpa", "store.memory");

    @ArchTest
    static final ArchRule only_the_roles_of_jca_know_jca = noClasses()
            .that()
            .resideInAnyPackage("org.tasktube.metrics..", "org.tasktube.queue..", "org.tasktube.store..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("jakarta.resource..");

    @ArchTest
    static final ArchRule the_queue_does_no_io = noClasses()
            .that()
            .resideInAPackage("org.tasktube.queue..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.sql..", "javax.sql..", "java.nio..", "java.net..", "jakarta.persistence..");

    @ArchTest
    static final ArchRule graphite_is_known_in_one_place = noClasses()
            .that()
            .resideOutsideOfPackage("org.tasktube.metrics..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.codahale..");

    @ArchTest
    static final ArchRule a_wildfly_is_known_in_one_place = noClasses()
            .that()
            .resideOutsideOfPackage("org.tasktube.ra.wildfly..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.jboss.jca..", "org.jboss.as..", "javax.management..");
}
