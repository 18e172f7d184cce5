package org.tasktube.sample.links;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the references of a style sheet: images, and other style sheets. */
public final class StyleReader {

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/", Pattern.DOTALL);
    private static final Pattern IMPORT =
            Pattern.compile("@import\\s+(?:url\\(\\s*)?(?:'([^']*)'|\"([^\"]*)\"|([^\\s'\")]+))(?:\\s*\\))?");
    private static final Pattern URL = Pattern.compile("url\\(\\s*(?:'([^']*)'|\"([^\"]*)\"|([^\\s'\")]+))\\s*\\)");
    private static final Pattern FONT = Pattern.compile(".*\\.(?:woff2?|ttf|otf|eot)(?:\\?.*)?");

    private StyleReader() {}

    public static Contents read(Address sheet, String text) {
        LinkCollector links = new LinkCollector(sheet, sheet);
        String rules = COMMENT.matcher(text).replaceAll(" ");
        Matcher imports = IMPORT.matcher(rules);
        while (imports.find()) {
            links.add(LinkKind.STYLE, firstGroup(imports));
        }
        Matcher urls = URL.matcher(IMPORT.matcher(rules).replaceAll(" "));
        while (urls.find()) {
            String url = firstGroup(urls);
            links.add(FONT.matcher(url).matches() ? LinkKind.FILE : LinkKind.IMAGE, url);
        }
        return new Contents("", links.found(Set.of()), Set.of());
    }

    private static String firstGroup(Matcher match) {
        for (int i = 1; i < match.groupCount(); i++) {
            if (match.group(i) != null) {
                return match.group(i);
            }
        }
        return match.group(match.groupCount());
    }
}
