import Foundation
import Languages
import Mustache
import TestSupport
import Testing
import WebServing

@testable import ApprovalPage

@Suite("The page's resources")
struct PageResourcesTests {
    private static let folder = Repository.file("Sources/Phone/ApprovalPage/Resources")

    @Test("every template compiles", arguments: PageResources.templates.keys.sorted())
    func compiles(name: String) throws {
        let bytes = try #require(PageResources.templates[name])
        #expect(throws: Never.self) { try MustacheTemplate(string: PageTemplates.text(bytes)) }
        #expect(PageResources.libraries.allSatisfy { $0.value.getTemplate(named: name) != nil })
    }

    @Test("no template takes a sentence for the name of a style", arguments: PageResources.templates.keys.sorted())
    func styles(name: String) throws {
        let bytes = try #require(PageResources.templates[name])
        #expect(!PageTemplates.text(bytes).contains(/class="[^"]*\[\[/), "it would have another style in each language")
    }

    @Test("a value does not end its attribute, also before a combining mark")
    func escaped() throws {
        let page = try #require(
            PageResources.libraries[.english]?
                .render(["type": "\"\u{301} autofocus onfocus=alert(1) x=\""], withTemplate: "audit"))
        #expect(page.unicodeScalars.contains("\u{301}"))
        #expect(page.contains("value=\"&quot;\u{301} autofocus onfocus=alert(1) x=&quot;\""))
    }

    @Test("the executable holds every file as it is in the folder")
    func embedded() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        let templates = PageResources.templates.keys.map { $0 + ".mustache" }
        let spoken = ["app.webmanifest", "offline.html", "worker.js"]
        let own = PageResources.files.filter { SharedPageFiles.pictures[$0.key] == nil }
        let others = PageResources.scripts.map(\.0) + own.keys + spoken + ["style.css"]
        let sentences = Language.allCases.map { "sentences-\($0.rawValue).json" }
        #expect(names == (templates + others + sentences).sorted())
        for (name, bytes) in PageResources.templates {
            #expect(try Data(contentsOf: Self.folder.appending(path: name + ".mustache")) == Data(bytes), "\(name)")
        }
        for (name, bytes) in PageResources.scripts + own.map({ ($0.key, $0.value.bytes) }) {
            #expect(try Data(contentsOf: Self.folder.appending(path: name)) == Data(bytes), "\(name)")
        }
        let style = try String(contentsOf: Self.folder.appending(path: "style.css"), encoding: .utf8)
        #expect(PageResources.style == SharedPageFiles.style + "\n" + style)
        for (language, made) in PageResources.spokenFiles {
            #expect(made.keys.sorted() == spoken)
            #expect(made.values.allSatisfy { !$0.isEmpty && !$0.contains("[[") }, "\(language)")
        }
    }

    @Test("the script of each language says its sentences", arguments: Language.allCases)
    func script(language: Language) throws {
        let script = try #require(PageResources.spokenScripts[language])
        let sentences = PageResources.sentences[language]
        for (name, bytes) in PageResources.scripts {
            let filled = sentences.filling(String(decoding: bytes, as: UTF8.self), escaping: Sentences.inLiteral)
            #expect(script.contains(filled), "\(name)")
        }
        #expect(script.contains(sentences["script.lost"]) && !script.contains("[["))
    }

    @Test("declare each name once: in a browser the page's scripts are one")
    func names() {
        let scripts = [SharedPageFiles.calls] + PageResources.scripts.map { String(decoding: $0.1, as: UTF8.self) }
        let names = scripts.flatMap { script in
            script.matches(of: /(?m)^(?:async )?(?:function|const|let|class) (\w+)/).map { String($0.1) }
        }
        let twice = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +).filter { $0.value > 1 }
        #expect(twice.isEmpty && names.count > 40, "\(twice.keys.sorted()) of \(names.count)")
    }

    @Test("a TypeError, which is a fault of the script, too, is not told as a lost connection")
    func lost() {
        let scripts = [SharedPageFiles.calls] + PageResources.scripts.map { String(decoding: $0.1, as: UTF8.self) }
        #expect(scripts.allSatisfy { !$0.contains(/TypeError\s*:/) })
        #expect(scripts.contains { $0.contains("instanceof Lost") }, "only a call without an answer is one")
    }
}
