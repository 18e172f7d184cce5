package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.TubeDefinition;
import org.tasktube.store.OpenStore;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.Calls;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Calls that are made together are one transaction; memory does not undo them. */
class TogetherTest {

    @ParameterizedTest
    @EnumSource
    void what_fails_together_is_undone(TestDatabase kind) throws StoreUnavailableException {
        try (HikariDataSource database = kind.create();
                OpenStore open = SqlStores.open(database, true, () -> {})) {
            StoredTube tube =
                    open.registry().createTube(TubeDefinition.fifo("a"), false).orElseThrow();
            long id = open.tasks().put(tube, List.of(TaskToPut.of("a").build())).id();
            assertThatThrownBy(() -> open.tasks().together(() -> {
                        Calls.delete(open.tasks(), tube, id);
                        throw new IllegalStateException("thrown on purpose");
                    }))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(open.tasks().find(tube, id)).isPresent();
        }
    }
}
