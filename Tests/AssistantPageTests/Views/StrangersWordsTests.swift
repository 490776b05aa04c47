import Encodings
import Foundation
import Testing

@testable import AssistantPage

/// The words of strangers in every place of every template of this page.
@Suite("A stranger's words on every part of the page")
struct StrangersWordsTests {
    private static let hostile =
        "a\u{202E}\u{200B}\u{7}\u{2028}<img src=x onerror=alert(1)>\" onfocus=alert(2) x=\"' onblur=alert(3) '"

    /// Returns the names of a template's values, and those of its sections.
    private static func names(in template: String) -> (values: Set<String>, sections: Set<String>) {
        var (values, sections): (Set<String>, Set<String>) = ([], [])
        // A body that is rendered already is written as it is.
        let escaped = template.replacing(/\{\{\{[^}]*\}\}\}/, with: "")
        for tag in escaped.matches(of: /\{\{([#^])?([A-Za-z][A-Za-z0-9]*)\}\}/) {
            if tag.1 == nil { values.insert(String(tag.2)) } else { sections.insert(String(tag.2)) }
        }
        return (values, sections)
    }

    @Test(
        "is text that hides nothing, begins no markup and ends no attribute",
        arguments: PageResources.templates.keys.sorted())
    func everyTemplate(name: String) throws {
        for (language, library) in PageResources.libraries {
            let bytes = try #require(PageResources.templates[name])
            let text = PageResources.sentences[language].filling(String(decoding: bytes, as: UTF8.self))
            let names = Self.names(in: text)
            let all = Dictionary(uniqueKeysWithValues: names.values.union(names.sections).map { ($0, Self.hostile) })
            // With each section as if it were there, and with none, as `{{^section}}` shows it.
            let inverted = all.filter { !names.sections.contains($0.key) }
            for values in [all, inverted] {
                let page = try #require(library.render(values as [String: Any], withTemplate: name))
                #expect(page.hiddenScalars.allSatisfy { $0 == "\n" }, "\(page.hiddenScalars)")
                #expect(!page.contains("<img src=x"))
                for attribute in ["\" onfocus=", "' onblur="] { #expect(!page.contains(attribute)) }
            }
        }
    }

    @Test("counts as many places as the templates have")
    func places() {
        let texts = PageResources.templates.values.map {
            PageResources.sentences[.english].filling(String(decoding: $0, as: UTF8.self))
        }
        let places = texts.reduce(0) { $0 + Self.names(in: $1).values.count }
        print("a stranger's words: \(places) places in \(texts.count) templates of the page")
        #expect(places > 40)
    }
}
