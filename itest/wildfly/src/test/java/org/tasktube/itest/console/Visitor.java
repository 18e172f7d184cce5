package org.tasktube.itest.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.ScreenshotOptions;
import com.microsoft.playwright.Page.WaitForFunctionOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.tasktube.itest.kit.ConsoleUser;

import static org.assertj.core.api.Assertions.assertThat;

/** A person at the console: a page of a fresh browser profile, and all faults that the browser found in it. */
final class Visitor implements AutoCloseable {

    private static final double PATIENCE_MILLIS = 20_000;
    private static final int MOST_TABS = 150;

    /** The browser itself writes it about an answer from 400 to 499, which a page may expect. */
    private static final String REFUSED = "Failed to load resource: the server responded with a status of 4";

    private static final String REPORT_CSP = "document.addEventListener('securitypolicyviolation',"
            + " e => console.error('CSP: ' + e.violatedDirective + ' ' + e.blockedURI))";

    private final Browser browser;
    private final ConsoleServer console;
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final List<BrowserContext> contexts = new CopyOnWriteArrayList<>();

    private Page page;

    Visitor(Browser browser, ConsoleServer console, View view) {
        this.browser = browser;
        this.console = console;
        use(view);
    }

    /** Goes on with a fresh profile on another screen. */
    Visitor use(View view) {
        BrowserContext context = browser.newContext(view.options());
        contexts.add(context);
        context.setDefaultTimeout(PATIENCE_MILLIS);
        context.addInitScript(REPORT_CSP);
        context.onConsoleMessage(this::said);
        context.onWebError(error -> faults.add("error: " + error.error()));
        context.onRequest(request -> {
            String root = console.page("").toString();
            if (!request.url().startsWith(root) && !request.url().startsWith("blob:")) {
                faults.add("request of " + request.url());
            }
        });
        page = context.newPage();
        return this;
    }

    private void said(ConsoleMessage message) {
        boolean isFault = Set.of("error", "warning").contains(message.type());
        if (isFault && !message.text().startsWith(REFUSED)) {
            faults.add(message.type() + ": " + message.text());
        }
    }

    /** Logs in by the form, and waits for the page that was asked for. */
    Visitor login(ConsoleUser user, String path) {
        page.navigate(console.page(path).toString());
        fillLogin(user.name(), user.password());
        page.waitForSelector("main h1");
        return this;
    }

    void fillLogin(String user, String password) {
        page.getByLabel("User").fill(user);
        page.getByLabel("Password").fill(password);
        page.getByText("Sign in", new Page.GetByTextOptions().setExact(true)).click();
    }

    /** Loads another page. */
    Visitor open(String path) {
        page.navigate(console.page(path).toString());
        page.waitForSelector("main h1");
        return this;
    }

    Page page() {
        return page;
    }

    Locator find(String selector) {
        return page.locator(selector);
    }

    /** Returns those elements that have the text. */
    Locator find(String selector, String text) {
        return page.locator(selector, new Page.LocatorOptions().setHasText(text));
    }

    Locator button(String text) {
        return page.locator("button", new Page.LocatorOptions().setHasText(text));
    }

    /** Returns the path and the query of the address, from the root of the console. */
    String address() {
        return page.url().substring(console.page("").toString().length());
    }

    void awaitText(String selector, String text) {
        awaitThat("([s, t]) => [...document.querySelectorAll(s)].some(e => e.textContent.includes(t))", selector, text);
    }

    /** Waits until a function of the page is true; the texts are its one argument, a list. */
    void awaitThat(String function, String... texts) {
        page.waitForFunction(function, List.of(texts), new WaitForFunctionOptions().setTimeout(PATIENCE_MILLIS));
    }

    void press(String... keys) {
        for (String key : keys) {
            page.keyboard().press(key);
        }
    }

    void type(String text) {
        page.keyboard().type(text);
    }

    /** Presses Tab until an element that fits has the focus, as somebody without a pointer does. */
    Visitor tabTo(String selector) {
        for (int i = 0; i < MOST_TABS; i++) {
            Object there = page.evaluate("s => document.activeElement.matches(s)", selector);
            if (Boolean.TRUE.equals(there)) {
                assertFocusShows();
                return this;
            }
            press("Tab");
        }
        throw new AssertionError("no Tab reaches " + selector + " at " + page.url());
    }

    /** The element with the focus has an outline, or another that stands for it. */
    private void assertFocusShows() {
        Object shows = page.evaluate("() => { for (let e = document.activeElement; e && e !== document.body;"
                + " e = e.parentElement) { const s = getComputedStyle(e);"
                + " if (s.outlineStyle !== 'none' || s.boxShadow !== 'none') return true; } return false; }");
        assertThat(shows).as("the focus shows").isEqualTo(true);
    }

    void picture(String name) {
        Path file = Path.of(System.getProperty("target"), "pictures", name + ".png");
        page.screenshot(new ScreenshotOptions().setPath(file).setFullPage(true));
    }

    /** No error or warning in the browser's console, no violation of the policy, no request of another site. */
    void assertNoFault() {
        assertThat(faults).isEmpty();
    }

    @Override
    public void close() {
        contexts.forEach(BrowserContext::close);
    }
}
