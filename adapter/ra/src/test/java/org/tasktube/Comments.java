package org.tasktube;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The prose in a source: the comments, and in Java the messages of its log. */
final class Comments {

    /** A comment or a literal; a literal is matched so that no comment begins in it. */
    private static final Pattern TOKEN = Pattern.compile("\"\"\"(?s:.*?)(?<!\\\\)\"\"\""
            + "|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])+'"
            + "|(?<javadoc>/\\*\\*(?s:.+?)\\*/)|(?<block>/\\*(?s:.*?)\\*/)|(?<line>(?://.*\n\\s*)+)");

    private static final Pattern MESSAGE = Pattern.compile("@Message\\((?s:(.*?))\\)\\s*\n");
    private static final Pattern LITERAL = Pattern.compile("\"((?:\\\\.|[^\"\\\\\n])*)\"");

    private static final Pattern SQL_LINES = Pattern.compile("(?m)(?:^--.*\n)+");

    private static final Pattern SQL_HEADING = Pattern.compile("(?m)^-- -{5,} (.*)$");

    /** A line between two blocks of comments in SQL: the name of a statement, or an empty line. */
    private static final Pattern SQL_BREAK = Pattern.compile("(?m)^-- name: \\w+$|^--$");

    private static final Pattern INLINE_TAG = Pattern.compile("\\{@(\\w+)\\s*([^{}]*)}");
    private static final Pattern BLOCK_TAG = Pattern.compile("(?m)^\\s*@(\\w+)\\s*");
    private static final Pattern MARKUP_OF_BLOCK = Pattern.compile("</?(?:p|ul|ol|li|pre|table|tr|td|th|dl|dt|dd)>");
    private static final Pattern MARKUP = Pattern.compile("</?\\w+[^>]*>");

    private Comments() {}

    /** Returns the paragraphs and tags of all Javadocs, each without line breaks, code and links. */
    static List<String> javadocs(String source) {
        return found("javadoc", source).flatMap(Comments::blocks).toList();
    }

    /** Returns the text of all other comments, the lines of successive line comments as one. */
    static List<String> others(String source) {
        Stream<String> blocks = found("block", source).map(text -> text.replaceAll("^/\\*|\\*/$", ""));
        Stream<String> lines = found("line", source).map(text -> text.replaceAll("//", ""));
        return Stream.concat(blocks, lines)
                .map(text -> text.replaceAll("`[^`]*`", "CODE"))
                .map(Comments::flat)
                .toList();
    }

    /** Returns the headings and the paragraphs of the comments in an SQL file. */
    static List<String> sql(String source) {
        return SQL_LINES
                .matcher(source)
                .results()
                .map(lines -> SQL_HEADING.matcher(lines.group()).replaceAll("--\n-- $1\n--"))
                .flatMap(SQL_BREAK::splitAsStream)
                .map(block -> flat(block.replaceAll("(?m)^-- ?", "")))
                .filter(block -> !block.isEmpty())
                .toList();
    }

    /** Returns the texts of the log's messages. */
    static List<String> messages(String source) {
        List<String> messages = new ArrayList<>();
        Matcher matcher = MESSAGE.matcher(source);
        while (matcher.find()) {
            StringBuilder message = new StringBuilder();
            LITERAL.matcher(matcher.group(1)).results().forEach(part -> message.append(part.group(1)));
            messages.add(message.toString());
        }
        return messages;
    }

    private static Stream<String> found(String group, String source) {
        List<String> found = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(source);
        while (matcher.find()) {
            if (matcher.group(group) != null) {
                found.add(matcher.group(group));
            }
        }
        return found.stream();
    }

    private static Stream<String> blocks(String javadoc) {
        String text = javadoc.replaceAll("^/\\*\\*|\\*/$", "").replaceAll("(?m)^\\s*\\*", "");
        String plain = INLINE_TAG.matcher(text).replaceAll(Comments::shown);
        String cut = BLOCK_TAG.matcher(plain).replaceAll("\n\n@$1 ");
        return Stream.of(MARKUP_OF_BLOCK.matcher(cut).replaceAll("\n\n").split("\n\\s*\n"))
                .map(block -> flat(MARKUP.matcher(block).replaceAll("")))
                .map(block -> block.replaceFirst("^@(?:param|throws) \\S+ ?|^@\\w+ ?", ""))
                .filter(block -> !block.isEmpty());
    }

    /** Returns the label of a link, or one word in place of code. */
    private static String shown(MatchResult tag) {
        String[] parts = tag.group(2).strip().split("\\s+(?![^(]*\\))", 2);
        boolean labelled = tag.group(1).startsWith("link") && parts.length == 2;
        return Matcher.quoteReplacement(labelled ? parts[1] : "CODE");
    }

    private static String flat(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }
}
