import Testing

@testable import Terminal

@Suite("The page that leads the person's browser to an address")
struct DesktopTests {
    @Test("keeps the address inside its attribute")
    func escaped() {
        let page = Desktop.markup(leadingTo: #"https://bank.example/?a=1&copy=2"><script>"#)
        #expect(
            page == """
                <!doctype html><meta http-equiv="refresh" \
                content="0;url=https://bank.example/?a=1&amp;copy=2&quot;&gt;&lt;script&gt;">
                """)
    }
}
