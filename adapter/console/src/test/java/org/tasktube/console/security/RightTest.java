package org.tasktube.console.security;

import java.util.Set;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RightTest {

    @Test
    void a_role_has_the_smaller_rights_too() {
        assertThat(Right.ADMIN.all()).containsExactly(Right.VIEW, Right.OPERATE, Right.ADMIN);
        assertThat(Right.OPERATE.all()).containsExactly(Right.VIEW, Right.OPERATE);
        assertThat(Right.VIEW.all()).containsExactly(Right.VIEW);
    }

    @Test
    void of_several_roles_the_greatest_counts() {
        assertThat(Right.of(Set.of("tasktube-viewer", "tasktube-admin")::contains))
                .contains(Right.ADMIN);
        assertThat(Right.of(Set.of("tasktube-operator")::contains)).contains(Right.OPERATE);
    }

    @Test
    void a_role_with_a_tube_has_its_right_on_that_tube_beside_a_role_for_all() {
        Set<String> roles = Set.of("tasktube-viewer", "tasktube-operator:orders", "tasktube-admin:mail");
        assertThat(Right.of(roles::contains)).contains(Right.VIEW);
        assertThat(Right.of(roles::contains, "orders")).contains(Right.OPERATE);
        assertThat(Right.of(roles::contains, "mail")).contains(Right.ADMIN);
        assertThat(Right.of(roles::contains, "other")).contains(Right.VIEW);
        assertThat(Right.of(Set.of("tasktube-operator:orders")::contains, "orders"))
                .isEmpty();
        assertThat(Right.of(Set.of("tasktube-admin", "tasktube-viewer:orders")::contains, "orders"))
                .contains(Right.ADMIN);
    }

    @Test
    void another_role_has_no_right() {
        assertThat(Right.of(Set.of("guest", "admin", "TASKTUBE-ADMIN")::contains))
                .isEmpty();
    }
}
