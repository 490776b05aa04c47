import Encodings
import Foundation
import TestSupport
import Testing

@testable import ApprovalPage

/// The words of strangers in every place of every template of this page.
@Suite("A stranger's words on every part of the page")
struct StrangersWordsTests {
    @Test(
        "is text that hides nothing, begins no markup and ends no attribute",
        arguments: PageResources.templates.keys.sorted())
    func everyTemplate(name: String) throws {
        for (language, library) in PageResources.libraries {
            let bytes = try #require(PageResources.templates[name])
            let text = PageResources.sentences[language].filling(String(decoding: bytes, as: UTF8.self))
            for values in StrangersWords.values(of: text) {
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
        let places = texts.reduce(0) { $0 + StrangersWords.names(in: $1).values.count }
        print("a stranger's words: \(places) places in \(texts.count) templates of the page")
        #expect(places > 100)
    }
}
