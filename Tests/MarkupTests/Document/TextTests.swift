import Testing

@testable import Markup

struct TextTests {
    private static func body(_ html: String) throws -> Element {
        let document = try Document.parse(
            Array("<body>\(html)".utf8), contentType: "text/html; charset=utf-8", url: "https://bank.example/")
        return try #require(document.root)
    }

    @Test(
        "is the text that a person reads",
        arguments: [
            ("<p>a<p>b", "a b"), ("<b>a</b>b<i> c </i>", "ab c"), ("<table><tr><td>a<td>b<tr><th>c</table>", "a b c"),
            ("a<br>b", "a b"), ("<figcaption>a</figcaption><blockquote>b</blockquote>c", "a b c"),
            ("a<script>b</script><style>c</style><template>d</template><noscript>e</noscript>f", "aef"),
            ("a<p hidden>b</p>c", "ac"), ("a<p style='Display : NONE'>b</p>c", "ac"),
            ("a<p style='visibility:hidden'>b</p>c<p style='color:red'>d", "ac d"),
            ("<p class=hidden data-hidden>a", "a"), ("<x-hidden>a</x-hidden><blockquotes>b</blockquotes>", "ab"),
            ("<input type=hidden value=a>b<input type=HIDDEN>c<p type=hidden>d", "bc d"),
            ("\u{A0} é – 𝄞 \u{200B}", "é – 𝄞"), ("", ""), ("<p>\n</p>", ""),
        ])
    func read(html: String, text: String) throws {
        #expect(try Self.body(html).text == text)
    }
}
