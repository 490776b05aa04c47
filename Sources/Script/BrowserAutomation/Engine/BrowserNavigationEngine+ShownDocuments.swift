import Automation
import Encodings
import Foundation
import WebURL

// MARK: Documents that a page shows in a part of itself, as a viewer would

extension BrowserNavigationEngine {
    /// Returns the addresses of what the page shows in a part of itself, and whether it is a PDF for certain. From then on the page
    /// keeps what it shows so, also when it takes the address back.
    func watchShownDocuments() async throws -> [String: Bool] {
        let answer = try await call(PageScripts.embedded).stringValue ?? "[]"
        let context = context
        let framed = activity.read { state in
            state.windows.values.compactMap { window -> String? in
                // Chromium without its viewer refuses a frame of this type.
                guard window.parent != nil, !window.isClosed, let failure = window.failure,
                    Self.isInside(window, context, state),
                    let type = failure.navigation.flatMap({ state.answers[$0] })?.header("content-type"),
                    type.lowercased().contains("pdf")
                else { return nil }
                return failure.url
            }
        }
        var found: [String: Bool] = [:]
        for pair in try JSONReader.read(answer).arrayValue?.compactMap(\.arrayValue) ?? [] {
            found[pair.first?.stringValue ?? ""] = pair.last == true
        }
        for address in framed { found[address] = true }
        return found
    }

    private static func isInside(
        _ window: PageActivity.Window, _ context: String, _ state: PageActivity.State
    ) -> Bool {
        var place = window.parent
        while let at = place {
            if at == context { return true }
            place = state.windows[at]?.parent
        }
        return false
    }

    /// Fetches what the page shows in a part of itself. Leaves nothing at the file's place when that is not a document.
    func receive(
        shown next: (address: String, isPDF: Bool), _ shown: inout ShownDocuments, to file: URL, limit: Int
    ) async throws -> EngineFile? {
        do {
            if !Self.isMade(next.address) { try policy.check(try URLRecord(parsing: next.address)) }
        } catch {
            shown.note(next.address, isRead: true)
            shown.note(error)
            return nil
        }
        var received = try await receive(embedded: next.address, to: file, limit: limit)
        shown.note(next.address, isRead: received != nil)
        if received == nil, next.isPDF {
            shown.noteSaving(next.address)
            received = try await receive(saved: next.address, &shown, to: file, limit: limit)
            // A page can take back what it has made, and nothing else.
            if received == nil, Self.isMade(next.address) { shown.noteLoss() }
        }
        if let received, received.isPDF { return received }
        // The next document is written to the same place, which has to be free.
        try? FileManager.default.removeItem(at: file)
        return nil
    }

    /// Fetches a document that the page shows in a part of itself, in the page's name.
    ///
    /// - Returns: nil for one that the page itself may not read, or that is gone.
    func receive(embedded address: String, to file: URL, limit: Int) async throws -> EngineFile? {
        let text = try await call(
            PageScripts.fetch, "GET", .string(address), "{}", "", .number(Double(limit)), within: Self.downloadLimit)
        let json = try JSONReader.read(text.stringValue ?? "")
        guard json["isTooLarge"] != true else {
            throw EngineError(.tooLarge, "the document is larger than the limit of \(limit) bytes")
        }
        guard json["failure"] == nil, let size = json["size"]?.intValue, size > 0 else { return nil }
        return try await receive(Fetched(json), to: file)
    }

    /// True for an address that a page makes by itself, which leads to no server.
    private static func isMade(_ address: String) -> Bool { address.hasPrefix("blob:") || address.hasPrefix("data:") }

    /// Lets the browser save such a document, where the page's own policy keeps its scripts from reading it.
    ///
    /// - Returns: nil for one that is gone, or that a link of the page cannot save.
    private func receive(
        saved address: String, _ shown: inout ShownDocuments, to file: URL, limit: Int
    ) async throws -> EngineFile? {
        let count = activity.read { $0.downloads.count }
        guard try await call(PageScripts.save, .string(address)) == true else {
            shown.noteNothingSaved(address)
            return nil
        }
        let end = ContinuousClock.now + Self.pageLimit
        while ContinuousClock.now < end {
            let version = activity.version
            let begun = activity.read { state in
                state.downloads.indices.dropFirst(count).first { state.downloads[$0].url == address }
            }
            guard let begun else {
                try await activity.change(since: version, within: Self.longestWait)
                continue
            }
            do {
                return try await receive(download: begun, to: file, limit: limit)
            } catch let error as EngineError where error.kind == .network {
                // The browser ends a download at once whose address the page has taken back.
                return nil
            }
        }
        shown.noteNothingSaved(address)
        return nil
    }
}
