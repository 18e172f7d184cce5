package org.tasktube.sample.links;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StyleReaderTest {

    private static final Address SHEET = Address.start("http://host/css/main.css");

    @Test
    void images_fonts_and_other_sheets_are_links() {
        Contents contents = StyleReader.read(SHEET, """
                @import 'a.css';
                @import url("b.css") print;
                @import url(c.css);
                @font-face { src: url(../fonts/d.woff2?v=1) format("woff2") }
                body { background: url( 'e.png' ) no-repeat, url("f (1).png") }
                p { background: url(../g.gif) }
                """);
        assertThat(contents.links())
                .containsExactly(
                        new Link(LinkKind.STYLE, "http://host/css/a.css", ""),
                        new Link(LinkKind.STYLE, "http://host/css/b.css", ""),
                        new Link(LinkKind.STYLE, "http://host/css/c.css", ""),
                        new Link(LinkKind.FILE, "http://host/fonts/d.woff2?v=1", ""),
                        new Link(LinkKind.IMAGE, "http://host/css/e.png", ""),
                        new Link(LinkKind.IMAGE, "http://host/css/f%20(1).png", ""),
                        new Link(LinkKind.IMAGE, "http://host/g.gif", ""));
    }

    @Test
    void comments_and_data_are_no_links() {
        assertThat(StyleReader.read(SHEET, "/* url(a.png)\n */ b { c: url(data:image/png;base64,AAAA) }")
                        .links())
                .isEmpty();
    }
}
