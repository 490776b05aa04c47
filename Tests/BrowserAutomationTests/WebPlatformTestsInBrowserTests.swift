import BankScript
import Foundation
import HTMLEngine
import Markup
import TestServers
import TestSupport
import Testing

@testable import BrowserAutomation

/// The cases of the web platform tests under `accname/name`, from the checkout that `COUNTERSIGN_WPT` names. Chromium judges:
/// where it differs from a case's expected label, that is its own affair, and is counted.
@Suite("The web platform tests of accessible names", .serialized)
struct WebPlatformTestsInBrowserTests {
    private static let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_WPT"].map {
        URL(filePath: $0, directoryHint: .isDirectory).appending(path: "accname/name")
    }

    private static let seen = "text and fields with aria-hidden count, because a person sees them on the page"
    private static let drawn = "generated content is not in the document, and the page may change it with its style"
    private static let hiddenLabel = "a hidden label is a name in the standard and in the case; this Chromium has none"
    private static let unused = "the role “none” of a disabled field speaks to screen readers; a person sees the field"
    private static let below =
        "Chromium lays the part out when it is scrolled to, and this engine scrolls before it acts"
    private static let changing = "the value changes with what a person enters, and a script needs a name that stays"
    private static let layout = "names are read from the tree, and both engines have to find the same ones"
    private static let menu = "a link that is an item of a menu is followed as a link"

    /// The names and roles that differ on purpose.
    private static let exceptions: [ListedDifference] = [
        .init(on: "comp_content_visibility.tentative.html", "test button", "", role: "none", below),
        .init(on: "comp_content_visibility.tentative.html", "test link", "", role: "none", below),
        .init(on: "comp_embedded_control.html", "Flash the screen times", "Flash the screen 3 times", changing),
        .init(
            on: "comp_embedded_control.html", "Flash the screen number of times times", "Flash the screen 3 times",
            changing),
        .init(on: "comp_hidden_not_referenced.html", "hidden, visible to all users", "visible to all users", seen),
        .init(
            on: "comp_hidden_not_referenced.html",
            "visible to all users, hidden, hidden but referenced, hidden from all users but referenced",
            "visible to all users, hidden but referenced, hidden from all users but referenced", seen),
        .init(on: "comp_host_language_label.html", "input label", "", hiddenLabel),
        .init(on: "comp_host_language_label.html", "label", "", role: "none", seen),
        .init(on: "comp_host_language_label.tentative.html", "input label", "", role: "none", unused),
        .init(on: "comp_labelledby_hidden_nodes.html", "foo bar baz", "foo", seen),
        .init(on: "comp_name_from_content.html", "onetwothree", "one two three", layout),
        .init(on: "comp_name_from_content.html", "label", "before label", drawn),
        .init(on: "comp_name_from_content.html", "label", "label after", drawn),
        .init(on: "comp_name_from_content.html", "label", "before label after", drawn),
        .init(on: "comp_name_from_content.html", "label", "5051 label", drawn),
        .init(on: "comp_name_from_content.html", "label", "nospacelabelnospace", drawn),
        .init(on: "comp_name_from_content.html", "label", "alt-before label alt-after", drawn),
        .init(on: "comp_name_from_content.html", "label", "start alt-before end label start alt-after end", drawn),
        .init(on: "comp_name_from_content.html", "طابع", "من قبل طابع خلف", drawn),
        .init(on: "comp_name_from_content.html", "اسم", "من قبل اسم بعد", drawn),
        .init(on: "comp_name_from_content_alt_counter_invalidation.html", "label", "228 label", drawn),
        .init(on: "comp_name_from_content_menuitem.html", "Description", "Description", role: "menuitem", menu),
    ]

    @Test(
        "give every control the name and the role that Chromium computes", .needsChromedriver,
        .enabled(if: Self.folder != nil, "COUNTERSIGN_WPT is not set; see CONTRIBUTING.md"), .timeLimit(.minutes(5)))
    func accessibleNames() async throws {
        let pages = try Self.pages(in: try #require(Self.folder))
        let site = try await LoopbackSite.start { path in
            // The harness is not served: only the markup of the cases counts.
            guard let page = pages[String(path.dropFirst())] else {
                return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            }
            return "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n" + page
        }
        let origin = "http://localhost:\(site.port)"
        var comparison = NameComparison(listing: Self.exceptions)
        var (cases, asChromium, asOurs, lost) = (0, 0, 0, 0)
        try await withComputedNames(at: origin) { engine, names in
            for file in pages.keys.sorted() {
                try await engine.open("\(origin)/\(file)")
                try await names.select()
                let document = try await engine.openPage().document
                let kinds = Dictionary(uniqueKeysWithValues: document.comparableControls.map { ($0.element, $0.kind) })
                let elements: [Element] = document.root.map { Array($0.descendants) } ?? []
                for (place, element) in elements.enumerated() {
                    guard let expected = element[attribute: "data-expectedlabel"]?.spaced else { continue }
                    cases += 1
                    guard let computed = try await names.computed(for: element) else {
                        lost += 1
                        continue
                    }
                    if computed.label.spaced == expected { asChromium += 1 }
                    // Scripts name links, buttons and fields that a person sees.
                    guard let kind = kinds[element] else { continue }
                    if element.accessibleName == expected { asOurs += 1 }
                    comparison.add(
                        ComparedControl(
                            page: file, element: "“\(element[attribute: "data-testname"] ?? "")” (\(place))",
                            kind: kind, name: element.accessibleName, label: computed.label, role: computed.role))
                }
            }
        }
        await site.stop()
        print(comparison.summary(of: "accname/name, \(pages.count) files, \(cases) cases"))
        print(
            "Of the cases' expected labels, Chromium computes \(asChromium); of the controls', scripts know \(asOurs).")
        #expect(comparison.unlisted == [])
        #expect(lost == 0, "elements left their page, and no case removes one")
        // Fewer would mean that the pages did not load.
        #expect(comparison.controls.count > 220, "\(comparison.controls.count) controls were compared")
    }

    /// Returns the pages by their paths in the folder.
    private static func pages(in folder: URL) throws -> [String: String] {
        var pages: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".html") {
            pages[path] = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        }
        return pages
    }
}
