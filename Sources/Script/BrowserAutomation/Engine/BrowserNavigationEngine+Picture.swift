import Automation
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Selectors

// Pages as a trace shows them.

extension BrowserNavigationEngine {
    /// The longest time for a picture. A page with an open dialog draws none.
    private static let pictureLimit: Duration = .seconds(10)

    public func snapshot(outlining locator: Locator?) async -> (any PageSnapshot)? {
        guard hasPage, !isClosed, let page = (try? await render().page) ?? lastPage else { return nil }
        var snapshot = HTMLPageSnapshot(page, filled: .init(), outlining: locator)
        let mask: Mask
        switch pictures {
        case .none: return snapshot
        case .masked: mask = Mask()
        case .keepingDigits: mask = Mask(keepsDigits: true)
        }
        snapshot.picture = try? await picture(masking: mask, outlining: snapshot.matches.map(\.number))
        return snapshot
    }

    public func skeleton(knowing texts: Set<String>) async -> PageSkeleton? {
        guard hasPage, !isClosed, let page = try? await render().page else { return nil }
        return PageSkeleton(page.document, knowing: texts)
    }

    /// Takes a picture of the window, with everything private made invisible first.
    ///
    /// - Returns: nil when something private could be seen on it, and for a frame.
    private func picture(masking mask: Mask, outlining numbers: [JSONValue]) async throws -> PagePicture? {
        guard activity.window(context).parent == nil else { return nil }
        guard let written = try await call(PageScripts.texts).stringValue,
            let texts = try JSONReader.read(written, limits: JSONLimits(size: BiDiConnection.maximumMessage)).arrayValue
        else { return nil }
        let shown = ShownTexts(of: texts.map { $0.stringValue ?? "" }, mask: mask)
        let ranges = JSONValue.array(
            shown.ranges.map { [.number(Double($0.text)), .number(Double($0.start)), .number(Double($0.end))] })
        let covered = try await call(
            PageScripts.cover, .string(ranges.compactText()), .string(JSONValue.array(numbers).compactText()))
        guard let boxes = try JSONReader.read(covered.stringValue ?? "")["boxes"]?.arrayValue else { return nil }
        let answer = try? await connection.call(
            "browsingContext.captureScreenshot",
            ["context": .string(context), "format": ["type": "image/webp", "quality": .number(0.8)]],
            limit: Self.pictureLimit)
        // Another document, which nothing covered, may have come meanwhile.
        guard try await call(PageScripts.uncover) == true, let data = answer?["data"]?.stringValue,
            let bytes = Data(base64Encoded: data)
        else { return nil }
        return PagePicture(
            bytes: Array(bytes), mediaType: Self.mediaType(of: bytes), matches: boxes.compactMap(PagePicture.Box.init))
    }

    /// A browser that does not know the format that it is asked for sends PNG.
    private static func mediaType(of bytes: Data) -> String {
        bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) ? "image/png" : "image/webp"
    }
}

extension PagePicture.Box {
    /// Reads `[x, y, width, height]`; nil for an element outside the picture.
    fileprivate init?(_ json: JSONValue) {
        let numbers = (json.arrayValue ?? []).compactMap { value -> Double? in
            if case .number(let number) = value { number } else { nil }
        }
        guard numbers.count == 4, numbers[2] > 0, numbers[3] > 0, numbers[0] < 1, numbers[1] < 1,
            numbers[0] + numbers[2] > 0, numbers[1] + numbers[3] > 0
        else { return nil }
        self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
}
