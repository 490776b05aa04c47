import Automation
import Encodings
import Testing

@Suite("Skeletons of pages")
struct PageSkeletonTests {
    private static func page(_ parts: String..., title: String = "Accounts") -> PageSkeleton {
        // A star stands before a name that the script uses, and two before one with which it turns pages.
        PageSkeleton(
            title: title,
            parts: parts.map { text in
                let isUsed = text.hasPrefix("*")
                let words = text.drop { $0 == "*" }.split(separator: " ", maxSplits: 1).map(String.init)
                return PageSkeleton.Part(
                    PageSkeleton.Kind(rawValue: words[0]) ?? .link, words[1], isUsed: isUsed,
                    turnsPages: text.hasPrefix("**"))
            })
    }

    struct Case: Sendable {
        let before: PageSkeleton
        let now: PageSkeleton
        let words: [String]
        let sentence: String?
    }

    @Test(
        "tell what was renamed, removed and added",
        arguments: [
            Case(
                before: page("link A", "link B", "button C"), now: page("link A", "link B", "button C"), words: [],
                sentence: nil),
            // The order alone does not count, and neither is a menu that is there twice.
            Case(
                before: page("link A", "link B", "button C"), now: page("button C", "link B", "link A", "link B"),
                words: [], sentence: nil),
            Case(
                before: page("*link A", "link B", "link C", "button D", "button E"),
                now: page("*link A", "link Post", "link Letters", "button D", "button E"),
                words: ["link “B” is called “Post” now", "link “C” is called “Letters” now"],
                sentence: "the bank renamed 2 links that this script does not use"),
            Case(
                before: page("*link A", "link B", "button C"), now: page("*link Z", "link B", "button C"),
                words: ["link “A” is called “Z” now"], sentence: "the bank renamed 1 link that this script uses"),
            // A button in a link's place is another thing.
            Case(
                before: page("link A", "link B", "button C"), now: page("link A", "button B2", "button C"),
                words: ["link “B” has gone", "button “B2” is new"],
                sentence: "the bank removed 1 link and added 1 button that this script does not use"),
            Case(
                before: page("*link A", "link B", "link C"), now: page("link X", "field Y", title: "Cookies"),
                words: ["another page, “Cookies”, comes here"],
                sentence: "the bank shows another page in place of one that this script uses"),
            // A list of one page has no link to the next, and the list of another month may have more pages.
            Case(
                before: page("*link A", "button B", "**link Next"), now: page("*link A", "button B"), words: [],
                sentence: nil),
            Case(
                before: page("*link A", "button B"), now: page("*link A", "button B", "**link Next"), words: [],
                sentence: nil),
            Case(
                before: page("*link A", "button B", "**link Next"), now: page("*link A", "button B", "link More"),
                words: ["link “Next” is called “More” now"], sentence: "the bank renamed 1 link that this script uses"),
            // A page of two parts may change both.
            Case(
                before: page("field A", "button B"), now: page("field X", "button Y"),
                words: ["field “A” is called “X” now", "button “B” is called “Y” now"],
                sentence: "the bank renamed 1 button, 1 field that this script does not use"),
            Case(
                before: page("link A", "*link B", "link C"),
                now: page("link A", "*link B", "link C", "link D", "field E"),
                words: ["link “D” is new", "field “E” is new"],
                sentence: "the bank added 1 link, 1 field that this script does not use"),
        ])
    func changes(example: Case) {
        let changes = example.before.changes(to: example.now)
        #expect(changes.map(\.words) == example.words)
        #expect(changes.sentence == example.sentence)
    }

    @Test("are read as they were written, and have an end")
    func json() throws {
        let page = Self.page("*link A", "field “B”", "button …", "**link Next")
        #expect(PageSkeleton(try JSONReader.read(page.json.compactBytes())) == page)
        #expect(PageSkeleton(.null) == nil && PageSkeleton(["title": "A", "parts": [["kind": "row"]]]) == nil)
        let parts = (0..<1000).map { PageSkeleton.Part(.link, "\($0)") }
        #expect(PageSkeleton(title: "", parts: parts).parts.count == PageSkeleton.mostParts)
    }
}
