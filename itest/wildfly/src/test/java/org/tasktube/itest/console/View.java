package org.tasktube.itest.console;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.options.ColorScheme;
import java.util.stream.Stream;
import org.tasktube.itest.watchdog.FullRun;

/** A screen, and the scheme that its user prefers. */
enum View {
    WIDE_LIGHT(1280, 900, ColorScheme.LIGHT),
    WIDE_DARK(1280, 900, ColorScheme.DARK),
    PHONE_LIGHT(390, 844, ColorScheme.LIGHT),
    PHONE_DARK(390, 844, ColorScheme.DARK);

    private final int width;
    private final int height;
    private final ColorScheme scheme;

    View(int width, int height, ColorScheme scheme) {
        this.width = width;
        this.height = height;
        this.scheme = scheme;
    }

    /** Returns one; in a full run each width in each scheme. */
    static Stream<View> ofThisRun() {
        return Stream.of(values()).filter(view -> FullRun.is() || view == WIDE_LIGHT);
    }

    NewContextOptions options() {
        return new NewContextOptions()
                .setViewportSize(width, height)
                .setColorScheme(scheme)
                .setLocale("en-GB")
                .setTimezoneId("Asia/Tokyo")
                .setAcceptDownloads(true);
    }
}
