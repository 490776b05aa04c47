import CLibXML2
import Encodings

/// Text, mode by mode.
extension TreeBuilder {
    mutating func characters(_ run: Bytes) {
        guard !run.isEmpty else { return }
        var run = run
        if ignoresLineFeed {
            ignoresLineFeed = false
            if run.first == 0x0A { run = Bytes(rebasing: run.dropFirst()) }
        }
        if let current = open.current, current.isForeign {
            insertText(run)
            if !Self.isBlank(run) { isFramesetOK = false }
            return
        }
        while !run.isEmpty { run = charactersInMode(run) }
    }

    /// - Returns: the rest, which is processed again in another mode.
    private mutating func charactersInMode(_ run: Bytes) -> Bytes {
        let nothing = Bytes(rebasing: run[..<0])
        switch mode {
        case .inBody, .inCaption, .inCell, .inTemplate: insertInBody(run)
        case .text: insertText(run)
        case .initial, .beforeHTML, .beforeHead:
            let rest = Self.withoutLeadingSpace(run)
            if !rest.isEmpty { _ = advanceToBody() }
            return rest
        case .inHead, .inHeadNoscript, .afterHead:
            let rest = insertLeadingSpace(run)
            if !rest.isEmpty { _ = advanceToBody() }
            return rest
        case .inTable, .inTableBody, .inRow:
            guard let current = open.current, current.namespace == .html,
                current.tag.isTableStructure || current.tag == .template
            else {
                fostering { $0.insertInBody(run) }
                return nothing
            }
            tableText.removeAll()
            originalMode = mode
            mode = .inTableText
            return run
        case .inTableText: tableText.append(run)
        case .inColumnGroup:
            let rest = insertLeadingSpace(run)
            guard !rest.isEmpty, open.isCurrent(.colgroup) else { return nothing }
            open.pop()
            mode = .inTable
            return rest
        case .afterBody, .afterAfterBody:
            let rest = Self.withoutLeadingSpace(run)
            insertInBody(Bytes(rebasing: run[..<(run.count - rest.count)]))
            if !rest.isEmpty { mode = .inBody }
            return rest
        case .inFrameset, .afterFrameset: Self.space(of: run).withUnsafeBufferPointer { insertText($0) }
        case .afterAfterFrameset: Self.space(of: run).withUnsafeBufferPointer { insertInBody($0) }
        }
        return nothing
    }

    private mutating func insertInBody(_ run: Bytes) {
        guard !run.isEmpty else { return }
        reconstructFormatting()
        insertText(run)
        if isFramesetOK, !Self.isBlank(run) { isFramesetOK = false }
    }

    private static func isBlank(_ run: Bytes) -> Bool { run.allSatisfy { Tokenizer.isSpace(Int($0)) } }

    private static func space(of run: Bytes) -> [UInt8] { run.filter { Tokenizer.isSpace(Int($0)) } }

    private static func withoutLeadingSpace(_ run: Bytes) -> Bytes {
        Bytes(rebasing: run[(run.firstIndex { !Tokenizer.isSpace(Int($0)) } ?? run.endIndex)...])
    }

    /// - Returns: the rest after the space.
    private mutating func insertLeadingSpace(_ run: Bytes) -> Bytes {
        let rest = Self.withoutLeadingSpace(run)
        insertText(Bytes(rebasing: run[..<(run.count - rest.count)]))
        return rest
    }

    /// Drops a NUL; in SVG and MathML it becomes U+FFFD.
    mutating func null() {
        ignoresLineFeed = false
        if let current = open.current, current.isForeign {
            insertReplacement()
            return
        }
        switch mode {
        case .initial, .beforeHTML, .beforeHead, .inHead, .inHeadNoscript, .afterHead:
            while case .again = advanceToBody() {}
        case .inColumnGroup where open.isCurrent(.colgroup):
            open.pop()
            mode = .inTable
        case .afterBody, .afterAfterBody: mode = .inBody
        default: break
        }
    }

    /// Ends the text in a table. White space stays in the table; other text goes before it (section 13.2.6.4.10).
    mutating func leaveTableText() {
        mode = originalMode
        let text = tableText
        tableText.removeAll()
        text.withBytes { run in
            if Self.isBlank(run) { insertText(run) } else { fostering { $0.insertInBody(run) } }
        }
    }

    mutating func fostering(_ body: (inout TreeBuilder) -> Void) {
        isFostering = true
        body(&self)
        isFostering = false
    }
}
