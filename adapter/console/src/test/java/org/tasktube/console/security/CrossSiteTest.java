package org.tasktube.console.security;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class CrossSiteTest {

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "same-origin, -, tube.example:8080, true",
                "same-site, -, tube.example:8080, false",
                "cross-site, -, tube.example:8080, false",
                "none, -, tube.example:8080, false",
                "cross-site, http://tube.example:8080, tube.example:8080, false",
                "-, -, tube.example:8080, true",
                "-, -, -, true",
                "-, http://tube.example:8080, tube.example:8080, true",
                "-, http://TUBE.example:8080, tube.example:8080, true",
                "-, http://tube.example, tube.example:80, true",
                "-, http://tube.example, tube.example, true",
                "-, https://tube.example, tube.example:443, true",
                "-, https://tube.example, tube.example, false",
                "-, http://evil.example, tube.example:8080, false",
                "-, http://tube.example:8081, tube.example:8080, false",
                "-, http://tube.example:8080.evil.example, tube.example:8080, false",
                "-, null, tube.example:8080, false",
                "-, '', tube.example:8080, false",
                "-, http://[::1]:8080, [::1]:8080, true",
                "-, http://tube.example:8080, -, false",
            })
    void a_change_is_asked_for_by_a_page_of_this_server_or_by_no_page(
            String fetchSite, String origin, String host, boolean own) {
        assertThat(CrossSite.isOwn(fetchSite, origin, host, 80)).isEqualTo(own);
    }

    @Test
    void only_reads_are_no_changes() {
        assertThat(CrossSite.isChange("GET")).isFalse();
        assertThat(CrossSite.isChange("HEAD")).isFalse();
        assertThat(CrossSite.isChange("POST")).isTrue();
        assertThat(CrossSite.isChange("DELETE")).isTrue();
        assertThat(CrossSite.isChange("get")).isTrue();
    }
}
