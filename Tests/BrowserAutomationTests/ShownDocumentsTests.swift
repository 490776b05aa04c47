import Testing

@testable import BrowserAutomation

@Suite("The documents that a page shows")
struct ShownDocumentsTests {
    @Test("are new once, and once more when one that could not be read is a PDF")
    func once() {
        var shown = ShownDocuments(before: ["blob:old": false])
        #expect(shown.next(of: ["blob:old": false]) == nil)
        #expect(shown.next(of: ["blob:old": false, "blob:new": false])?.address == "blob:new")
        shown.note("blob:new", isRead: false)
        #expect(shown.next(of: ["blob:new": false]) == nil)
        #expect(shown.next(of: ["blob:new": true])?.isPDF == true)
        shown.noteSaving("blob:new")
        #expect(shown.next(of: ["blob:new": true]) == nil, "the browser is asked to save it once")
    }

    @Test("are the page's own downloads again where the browser saved nothing")
    func nothingSaved() {
        var shown = ShownDocuments(before: [:])
        shown.note("blob:a", isRead: false)
        shown.noteSaving("blob:a")
        #expect(shown.ownDownloads == ["blob:a"])
        shown.noteNothingSaved("blob:a")
        #expect(shown.ownDownloads.isEmpty && shown.next(of: ["blob:a": true]) == nil)
    }
}
