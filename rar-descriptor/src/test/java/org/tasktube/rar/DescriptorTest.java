package org.tasktube.rar;

import jakarta.resource.Referenceable;
import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.ManagedConnectionFactory;
import jakarta.resource.spi.ResourceAdapter;
import java.beans.IntrospectionException;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.io.File;
import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jboss.jca.common.api.metadata.spec.ConfigProperty;
import org.jboss.jca.common.api.metadata.spec.ConnectionDefinition;
import org.jboss.jca.common.api.metadata.spec.MessageListener;
import org.jboss.jca.common.api.metadata.spec.XsdString;
import org.jboss.jca.common.metadata.MetadataFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

/** Rules that IronJacamar's validator leaves out: what ra.xml says of a class is so, and is all there is to say. */
class DescriptorTest {

    private static final String NONE = "";

    private static org.jboss.jca.common.api.metadata.spec.ResourceAdapter adapter;

    @BeforeAll
    static void read() throws Exception {
        adapter = new MetadataFactory()
                .getStandardMetaData(new File("src/main/rar"))
                .getResourceadapter();
    }

    @Test
    void the_adapter_has_the_properties_and_defaults_that_are_described() throws Exception {
        Object instance = instance(adapter.getResourceadapterClass(), ResourceAdapter.class);

        assertThat(described(adapter.getConfigProperties())).isEqualTo(properties(instance));
        assertThat(instance).isInstanceOf(Serializable.class);
    }

    @Test
    void activations_have_the_properties_and_defaults_that_are_described() throws Exception {
        for (MessageListener listener :
                adapter.getInboundResourceadapter().getMessageadapter().getMessagelisteners()) {
            assertThat(type(listener.getMessagelistenerType())).isInterface();
            var described = listener.getActivationspec();
            Object instance = instance(text(described.getActivationspecClass()), ActivationSpec.class);

            Map<String, String> defaults = properties(instance);
            described.getRequiredConfigProperties().forEach(required -> assertThat(
                            defaults.remove(text(required.getConfigPropertyName())))
                    .isEqualTo(NONE));
            assertThat(described(described.getConfigProperties())).isEqualTo(defaults);
            assertThat(instance).isInstanceOf(Serializable.class);
        }
    }

    @Test
    void connections_and_their_factories_are_what_is_described() throws Exception {
        ConnectionDefinition definition =
                adapter.getOutboundResourceadapter().getConnectionDefinitions().get(0);
        Object factory = instance(text(definition.getManagedConnectionFactoryClass()), ManagedConnectionFactory.class);

        assertThat(described(definition.getConfigProperties())).isEqualTo(properties(factory));
        assertThat(factory).isInstanceOf(Serializable.class);
        assertThat(type(definition.getConnectionFactoryInterface()))
                .isAssignableFrom(type(definition.getConnectionFactoryImplClass()));
        assertThat(type(definition.getConnectionFactoryImplClass()))
                .isAssignableTo(Serializable.class)
                .isAssignableTo(Referenceable.class);
        assertThat(type(definition.getConnectionInterface()))
                .isAssignableFrom(type(definition.getConnectionImplClass()));
    }

    private static Map<String, String> described(List<ConfigProperty> properties) {
        assertThat(properties)
                .extracting(property -> text(property.getConfigPropertyType()))
                .allMatch("java.lang.String"::equals);
        return properties.stream()
                .collect(toMap(
                        property -> text(property.getConfigPropertyName()),
                        property -> property.isValueSet() ? text(property.getConfigPropertyValue()) : NONE));
    }

    /** The text properties of a bean and the values that it begins with. */
    private static Map<String, String> properties(Object bean) throws ReflectiveOperationException {
        Map<String, String> values = new HashMap<>();
        for (PropertyDescriptor property : beanProperties(bean.getClass())) {
            if (property.getPropertyType() == String.class && property.getWriteMethod() != null) {
                Object value = property.getReadMethod().invoke(bean);
                values.put(property.getName(), value == null ? NONE : (String) value);
            }
        }
        return values;
    }

    private static PropertyDescriptor[] beanProperties(Class<?> type) {
        try {
            return Introspector.getBeanInfo(type).getPropertyDescriptors();
        } catch (IntrospectionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object instance(String name, Class<?> role) throws ReflectiveOperationException {
        Object instance = Class.forName(name).getConstructor().newInstance();
        assertThat(instance).isInstanceOf(role);
        return instance;
    }

    private static Class<?> type(XsdString name) throws ClassNotFoundException {
        return Class.forName(text(name));
    }

    private static String text(XsdString string) {
        return string.getValue();
    }
}
