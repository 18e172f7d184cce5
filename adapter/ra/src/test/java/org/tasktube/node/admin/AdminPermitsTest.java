package org.tasktube.node.admin;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AdminPermitsTest {

    @Test
    void an_interrupted_read_does_not_name_the_number_of_reads() {
        AdminPermits permits = new AdminPermits();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> permits.read(() -> 1))
                .hasMessage("the thread was interrupted while it waited for a read of the administration;"
                        + " repeat the call");
        assertThat(Thread.interrupted()).isTrue();
    }
}
