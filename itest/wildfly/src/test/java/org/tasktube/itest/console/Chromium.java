package org.tasktube.itest.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Playwright;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.tasktube.itest.watchdog.Tool;

/**
 * The machine's Chromium, without a window, one for each process of tests. Each test has a {@link Visitor} of its own. Without
 * Chromium the tests are left out.
 */
final class Chromium implements ExecutionCondition, ParameterResolver, AfterEachCallback {

    private static final Path PROGRAM = Path.of("/usr/bin/chromium");

    /** The same browser without the parts of a window, which take most of its processor time. */
    private static final Path SHELL = Path.of("/usr/bin/chromium-headless-shell");

    private static final Namespace NAMESPACE = Namespace.create(Chromium.class);

    /** Playwright's process and the browser, which both end with it. */
    private record Running(Playwright playwright, Browser browser) implements AutoCloseable {

        static Running start() {
            // It would download browsers of its own
            Map<String, String> env = Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
            Playwright playwright = Playwright.create(new Playwright.CreateOptions().setEnv(env));
            try {
                // Without a sandbox also root can start it, and all that it shows is ours
                Browser browser = playwright
                        .chromium()
                        .launch(new LaunchOptions()
                                .setExecutablePath(Files.isExecutable(SHELL) ? SHELL : PROGRAM)
                                .setChromiumSandbox(false)
                                .setArgs(List.of("--disable-dev-shm-usage")));
                return new Running(playwright, browser);
            } catch (RuntimeException e) {
                playwright.close();
                throw e;
            }
        }

        @Override
        public void close() {
            playwright.close();
        }
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return Tool.CHROMIUM.isThere()
                ? ConditionEvaluationResult.enabled("")
                : ConditionEvaluationResult.disabled(Tool.CHROMIUM.missing());
    }

    /** Each test has a visitor of its own, also where the constructor asks for it. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Visitor.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(NAMESPACE).getOrComputeIfAbsent(Visitor.class, type -> visitor(context), Visitor.class);
    }

    private static Visitor visitor(ExtensionContext context) {
        Browser browser = context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
                .getOrComputeIfAbsent(Running.class, type -> Running.start(), Running.class)
                .browser();
        return new Visitor(browser, ConsoleServer.of(context), View.WIDE_LIGHT);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Store store = context.getStore(NAMESPACE);
        Visitor visitor = store.remove(Visitor.class, Visitor.class);
        if (visitor == null) {
            return;
        }
        try (visitor) {
            if (context.getExecutionException().isPresent()) {
                visitor.picture(context.getRequiredTestMethod().getName());
            } else {
                visitor.assertNoFault();
            }
        }
    }
}
