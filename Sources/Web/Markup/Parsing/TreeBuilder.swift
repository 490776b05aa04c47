import CLibXML2
import Foundation

/// Builds a page's tree as a browser does (HTML Standard, section 13.2.6), in a libxml2 document.
///
/// Comments, the doctype and namespaces are discarded: nothing uses them. A template's content is kept outside the
/// tree. Scripting is off, so the content of `noscript` is part of the page.
struct TreeBuilder {
    enum Mode {
        case initial, beforeHTML, beforeHead, inHead, inHeadNoscript, afterHead, inBody, text, inTable, inTableText
        case inCaption, inColumnGroup, inTableBody, inRow, inCell, inTemplate, afterBody, inFrameset, afterFrameset
        case afterAfterBody, afterAfterFrameset
    }

    /// The result of processing a token.
    enum Outcome {
        case done
        /// The mode has changed: process the token again.
        case again
    }

    let tree: DocumentTree
    var tokenizer: Tokenizer
    var budget: ParsingBudget
    var mode = Mode.initial
    /// The mode to return to after text.
    var originalMode = Mode.initial
    var templateModes: [Mode] = []
    var open = OpenElements()
    var formatting = FormattingElements()
    var head: OpenElement?
    /// The last form that was opened and not closed.
    var form: xmlNodePtr?
    var isFramesetOK = true
    /// True if foster parenting is on: content that a table cannot hold goes before it.
    var isFostering = false
    var isQuirky = false
    /// True right after certain start tags, where a line feed does not count.
    var ignoresLineFeed = false
    var text: PendingText
    /// Text directly in a table, while it may be white space only.
    var tableText: TextRun
    private var isOver = false

    private static let isInitialised: Bool = {
        xmlInitParser()
        return true
    }()

    /// Parses a page, which must be valid UTF-8.
    static func parse(_ utf8: [UInt8], limits: DocumentLimits) throws(DocumentError) -> DocumentTree {
        precondition(isInitialised)
        let hasReturns = utf8.withUnsafeBytes { bytes in
            bytes.baseAddress.map { memchr($0, 0x0D, bytes.count) != nil } ?? false
        }
        let page = hasReturns ? normalisingNewlines(utf8) : utf8
        guard let tree = DocumentTree() else {
            throw DocumentError(code: .unparsable, message: "there is not enough memory for the page")
        }
        let names = NameTable(tree.document.pointee.dict)
        let failure = page.withUnsafeBufferPointer { source in
            var builder = TreeBuilder(
                tree, Tokenizer(source, names, mostAttributes: limits.attributes), ParsingBudget(limits))
            builder.build()
            return builder.budget.failure
        }
        if let failure { throw failure }
        return tree
    }

    /// Normalizes newlines (section 13.2.3.5).
    private static func normalisingNewlines(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var before: UInt8 = 0
        for byte in bytes {
            if byte == 0x0D {
                result.append(0x0A)
            } else if byte != 0x0A || before != 0x0D {
                result.append(byte)
            }
            before = byte
        }
        return result
    }

    private init(_ tree: DocumentTree, _ tokenizer: Tokenizer, _ budget: ParsingBudget) {
        self.tree = tree
        self.tokenizer = tokenizer
        self.budget = budget
        text = PendingText(in: tokenizer.source)
        tableText = TextRun(in: tokenizer.source)
    }

    private mutating func build() {
        while !isOver, budget.allows(tokenizer) { take(tokenizer.next()) }
        flushText()
    }

    private mutating func take(_ token: Tokenizer.Token) {
        switch token {
        case .text(let range): characters(tokenizer.bytes(range))
        case .reference:
            let decoded = tokenizer.decoded
            decoded.withUnsafeBufferPointer { characters($0) }
        case .null: null()
        case .startTag:
            ignoresLineFeed = false
            startTag()
        case .endTag:
            ignoresLineFeed = false
            endTag()
        case .comment:
            ignoresLineFeed = false
            if mode == .inTableText { leaveTableText() }
            comment()
        case .doctype(let isQuirky):
            ignoresLineFeed = false
            if mode == .inTableText { leaveTableText() }
            if mode == .initial {
                self.isQuirky = isQuirky
                mode = .beforeHTML
            }
        case .end: end()
        }
        tokenizer.isForeign = isInForeignContent
    }

    private mutating func end() {
        while case .again = endInMode() {}
    }

    mutating func stop() { isOver = true }

    private mutating func endInMode() -> Outcome {
        switch mode {
        case .initial, .beforeHTML, .beforeHead, .inHead, .inHeadNoscript, .afterHead: return advanceToBody()
        case .text:
            open.pop()
            mode = originalMode
            return .again
        case .inTableText:
            leaveTableText()
            return .again
        case .inColumnGroup, .inBody, .inTable, .inCaption, .inTableBody, .inRow, .inCell, .inTemplate:
            guard templateModes.isEmpty else { return endInTemplate() }
            stop()
            return .done
        case .afterBody, .inFrameset, .afterFrameset, .afterAfterBody, .afterAfterFrameset:
            stop()
            return .done
        }
    }

    private mutating func endInTemplate() -> Outcome {
        guard open.templates > 0 else {
            stop()
            return .done
        }
        open.pop(through: .template)
        formatting.clearToMarker()
        templateModes.removeLast()
        resetMode()
        return .again
    }

    /// Inserts the next element that the page has left out before its body.
    mutating func advanceToBody() -> Outcome {
        switch mode {
        case .initial:
            isQuirky = true
            mode = .beforeHTML
        case .beforeHTML:
            insertRoot(hasAttributes: false)
            mode = .beforeHead
        case .beforeHead:
            insertElement(.head)
            head = open.current
            mode = .inHead
        case .inHead:
            open.pop()
            mode = .afterHead
        case .inHeadNoscript:
            open.pop()
            mode = .inHead
        case .afterHead:
            insertElement(.body)
            mode = .inBody
        default: return .done
        }
        return .again
    }

    // MARK: Which rules

    private var isInForeignContent: Bool { (open.current?.namespace ?? .html) != .html }

    private mutating func startTag() {
        if let current = open.current, current.namespace != .html, isForeign(tokenizer.tag.tag, in: current) {
            return startTagInForeignContent()
        }
        startTagByMode()
    }

    private func isForeign(_ tag: Tag, in current: OpenElement) -> Bool {
        if current.isMathMLTextIntegrationPoint, tag != .mglyph, tag != .malignmark { return false }
        if current.namespace == .mathML, current.tag == .annotationXML, tag == .svg { return false }
        return !current.isHTMLIntegrationPoint
    }

    mutating func startTagByMode() {
        while case .again = startTagInMode() {}
    }

    private mutating func startTagInMode() -> Outcome {
        switch mode {
        case .initial: advanceToBody()
        case .beforeHTML: startTagBeforeHTML()
        case .beforeHead: startTagBeforeHead()
        case .inHead: startTagInHead()
        case .inHeadNoscript: startTagInHeadNoscript()
        case .afterHead: startTagAfterHead()
        case .inBody: startTagInBody()
        case .text: .done
        case .inTable: startTagInTable()
        case .inTableText: leavingTableText()
        case .inCaption: startTagInCaption()
        case .inColumnGroup: startTagInColumnGroup()
        case .inTableBody: startTagInTableBody()
        case .inRow: startTagInRow()
        case .inCell: startTagInCell()
        case .inTemplate: startTagInTemplate()
        case .afterBody, .afterAfterBody: startTagAfterBody()
        case .inFrameset: startTagInFrameset()
        case .afterFrameset, .afterAfterFrameset: startTagAfterFrameset()
        }
    }

    private mutating func endTag() {
        if isInForeignContent { return endTagInForeignContent() }
        endTagByMode()
    }

    mutating func endTagByMode() {
        while case .again = endTagInMode() {}
    }

    private mutating func endTagInMode() -> Outcome {
        switch mode {
        case .initial: advanceToBody()
        case .beforeHTML, .beforeHead: endTagBeforeHead()
        case .inHead: endTagInHead()
        case .inHeadNoscript: endTagInHeadNoscript()
        case .afterHead: endTagAfterHead()
        case .inBody: endTagInBody()
        case .text: endTagInText()
        case .inTable: endTagInTable()
        case .inTableText: leavingTableText()
        case .inCaption: endTagInCaption()
        case .inColumnGroup: endTagInColumnGroup()
        case .inTableBody: endTagInTableBody()
        case .inRow: endTagInRow()
        case .inCell: endTagInCell()
        case .inTemplate: endTagInTemplate()
        case .afterBody: endTagAfterBody()
        case .inFrameset: endTagInFrameset()
        case .afterFrameset: endTagAfterFrameset()
        case .afterAfterBody: endTagAfterAfterBody()
        case .afterAfterFrameset: .done
        }
    }

    private mutating func leavingTableText() -> Outcome {
        leaveTableText()
        return .again
    }

    /// "Reset the insertion mode appropriately" (section 13.2.4.1).
    mutating func resetMode() {
        var index = open.count - 1
        while index >= 0 {
            let element = open[index]
            if element.namespace == .html {
                switch element.tag {
                case .td where index > 0, .th where index > 0:
                    mode = .inCell
                    return
                case .tr:
                    mode = .inRow
                    return
                case .tbody, .thead, .tfoot:
                    mode = .inTableBody
                    return
                case .caption:
                    mode = .inCaption
                    return
                case .colgroup:
                    mode = .inColumnGroup
                    return
                case .table:
                    mode = .inTable
                    return
                case .template:
                    mode = templateModes.last ?? .inBody
                    return
                case .head where index > 0:
                    mode = .inHead
                    return
                case .body:
                    mode = .inBody
                    return
                case .frameset:
                    mode = .inFrameset
                    return
                case .html:
                    mode = head == nil ? .beforeHead : .afterHead
                    return
                default: break
                }
            }
            index -= 1
        }
        mode = .inBody
    }
}
