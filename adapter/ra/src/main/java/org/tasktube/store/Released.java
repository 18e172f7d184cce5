package org.tasktube.store;

import java.util.List;

/** Tasks of one tube that were TAKEN and are READY now. */
public record Released(int tube, List<Long> ids) {}
