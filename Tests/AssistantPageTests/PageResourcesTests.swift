import Foundation
import Languages
import Mustache
import TestSupport
import Testing
import WebServing

@testable import AssistantPage

@Suite("The resources of the assistant's pages") struct PageResourcesTests {
    private static let folder = Repository.file("Sources/Assistant/AssistantPage/Resources")

    @Test("every template compiles", arguments: PageResources.templates.keys.sorted())
    func compiles(name: String) throws {
        let bytes = try #require(PageResources.templates[name])
        #expect(throws: Never.self) { try MustacheTemplate(string: PageTemplates.text(bytes)) }
        for library in PageResources.libraries.values { #expect(library.getTemplate(named: name) != nil) }
    }

    @Test("the executable holds every file as it is in the folder")
    func embedded() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        let templates = PageResources.templates.keys.map { $0 + ".mustache" }
        let own = PageResources.files.filter { SharedPageFiles.pictures[$0.key] == nil }
        let files = Array(own.keys) + PageResources.spokenTypes.keys.filter { $0 != "page.js" }
        let sentences = Language.allCases.map { "sentences-\($0.rawValue).json" }
        #expect(names == (templates + files + sentences + PageResources.scripts.map(\.0)).sorted())
        let all =
            PageResources.templates.map { ($0.key + ".mustache", $0.value) }
            + own.filter { $0.key != "style.css" }.map { ($0.key, $0.value.bytes) }
            + PageResources.scripts.map { ($0.0, $0.1) }
        for (name, bytes) in all {
            #expect(try Data(contentsOf: Self.folder.appending(path: name)) == Data(bytes), "\(name)")
        }
        let style = try String(contentsOf: Self.folder.appending(path: "style.css"), encoding: .utf8)
        #expect(PageResources.files["style.css"]?.bytes == Array((SharedPageFiles.style + "\n" + style).utf8))
    }

    @Test("no template writes a value without escaping it, except the frame")
    func escaped() {
        for (name, bytes) in PageResources.templates where name != "page" {
            #expect(!PageTemplates.text(bytes).contains("{{{"), "\(name)")
        }
    }

    @Test("no template has a script or a style of its own, which the content policy would block")
    func inline() {
        for (name, bytes) in PageResources.templates {
            let text = PageTemplates.text(bytes)
            #expect(text.firstMatch(of: /<style|\sstyle=|\son[a-z]+=/) == nil, "\(name)")
            #expect(name == "page" || !text.contains("<script"), "\(name)")
        }
    }
}
