import CLibXML2

/// Reads XML as a stream of finished elements, in memory that does not grow with the document.
///
/// A document type is refused where it begins, so the only entities are XML's own five. Default attributes do
/// not apply, and nothing is fetched. See `docs/decisions/0011-strict-xml.md`.
package enum XMLRecords {
    /// Calls `starting` at each start tag, with the element's depth from 0, and `finished` at each end tag. An element for
    /// which `finished` returns true is a finished record: its parent does not keep it.
    ///
    /// - Throws: ``XMLError``, and what the closures throw.
    package static func read(
        _ bytes: [UInt8], limits: XMLLimits = XMLLimits(),
        starting: (MarkupElement, Int) throws -> Void = { _, _ in },
        finished: (MarkupElement) throws -> Bool
    ) throws {
        guard bytes.count < Int(Int32.max) else {
            throw XMLError(code: .tooLarge, line: 1, message: "the document is larger than 2 GiB; split it")
        }
        try withoutActuallyEscaping(starting) { starting in
            try withoutActuallyEscaping(finished) { finished in
                try Reading(limits: limits, starting: starting, finished: finished).run(bytes)
            }
        }
    }
}

/// The state of one reading, which libxml2's callbacks get as their context.
private final class Reading {
    private let limits: XMLLimits
    private let starting: (MarkupElement, Int) throws -> Void
    private let finished: (MarkupElement) throws -> Bool
    // A check of each access, which the compiler cannot prove for a class, takes longer than the access.
    @exclusivity(unchecked) private var open: [MarkupElement] = []
    @exclusivity(unchecked) private var textLengths: [Int] = []
    @exclusivity(unchecked) private var failure: (any Error)?
    private var context: xmlParserCtxtPtr?
    /// Names and namespaces that came, each at the index that its place in memory gives: libxml2 has one copy of each, so the place
    /// tells it. Of two with one index, the last is kept.
    @exclusivity(unchecked) private var names = [(start: UnsafePointer<xmlChar>?, name: String)](
        repeating: (nil, ""), count: 256)

    init(
        limits: XMLLimits, starting: @escaping (MarkupElement, Int) throws -> Void,
        finished: @escaping (MarkupElement) throws -> Bool
    ) {
        (self.limits, self.starting, self.finished) = (limits, starting, finished)
    }

    func run(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            guard !buffer.isEmpty, let context = xmlCreateMemoryParserCtxt(start, Int32(buffer.count)) else {
                throw XMLError(code: .malformed, line: 1, message: "the document is empty")
            }
            defer { xmlFreeParserCtxt(context) }
            self.context = context
            context.pointee.sax.pointee = Self.handler()
            context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
            xmlCtxtUseOptions(context, Int32(XML_PARSE_NONET.rawValue))
            xmlParseDocument(context)
            if let failure { throw failure }
            guard context.pointee.wellFormed == 1 else { throw Self.malformed(context) }
        }
    }

    private static func malformed(_ context: xmlParserCtxtPtr) -> XMLError {
        let last = context.pointee.lastError
        let message = last.message.map { String(cString: $0) } ?? "it is not well-formed XML"
        let sentence = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? message
        return XMLError(
            code: .malformed, line: max(Int(last.line), 1),
            message: "\(sentence.trimmingSpaces); the file may be cut off or damaged, so download it again")
    }

    private static func handler() -> xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.internalSubset = { context, _, _, _ in
            reading(context).fail(.forbidden, "a document type (<!DOCTYPE) is not allowed in a bank's file; remove it")
        }
        handler.startElementNs = { context, name, _, namespace, _, _, count, _, attributes in
            let reading = reading(context)
            reading.start(
                reading.known(name), namespace: reading.known(namespace), count: Int(count), attributes)
        }
        handler.endElementNs = { context, _, _, _ in reading(context).end() }
        handler.characters = { context, start, count in reading(context).add(start, Int(count)) }
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = handler.characters
        return handler
    }

    fileprivate func known(_ start: UnsafePointer<xmlChar>?) -> String {
        guard let start else { return "" }
        let index = Int(bitPattern: start) >> 3 & 0xFF
        if names[index].start != start { names[index] = (start, String(cString: start)) }
        return names[index].name
    }

    private var line: Int { Int(context?.pointee.input?.pointee.line ?? 1) }

    fileprivate func fail(_ code: XMLError.Code, _ message: String) {
        fail(XMLError(code: code, line: line, message: message))
    }

    private func fail(_ error: any Error) {
        if failure == nil { failure = error }
        xmlStopParser(context)
    }

    fileprivate func start(
        _ name: String, namespace: String, count: Int, _ raw: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) {
        guard failure == nil else { return }
        guard open.count < limits.depth else {
            return fail(.tooDeep, "<\(name)> is nested deeper than \(limits.depth) elements, which no statement needs")
        }
        var attributes: [String: String] = [:]
        // libxml2 passes five pointers for each: name, prefix, namespace, and the value's start and end.
        for index in 0..<count {
            guard let raw, let start = raw[5 * index + 3], let end = raw[5 * index + 4] else { continue }
            guard end - start <= limits.text else { return failForLongText(name) }
            let value = UnsafeBufferPointer(start: start, count: end - start)
            attributes[known(raw[5 * index])] = String(decoding: value, as: UTF8.self)
        }
        let element = MarkupElement(name: name, namespace: namespace, attributes: attributes, line: line)
        do {
            try starting(element, open.count)
        } catch {
            return fail(error)
        }
        open.append(element)
        textLengths.append(0)
    }

    fileprivate func end() {
        guard failure == nil, let element = open.popLast() else { return }
        textLengths.removeLast()
        do {
            if try finished(element) { return }
        } catch {
            return fail(error)
        }
        guard let parent = open.last else { return }
        guard parent.children.count < limits.children else {
            return fail(.tooLarge, "<\(parent.name)> has more than \(limits.children) parts")
        }
        if parent.children.isEmpty { parent.children.reserveCapacity(4) }
        parent.children.append(element)
    }

    fileprivate func add(_ start: UnsafePointer<xmlChar>?, _ count: Int) {
        guard failure == nil, let start, let element = open.last else { return }
        let piece = UnsafeBufferPointer(start: start, count: count)
        // The line ends and spaces between elements are not text: a statement of ten thousand entries has as many of them.
        if piece.allSatisfy({ $0 <= 0x20 }) {
            if element.text.utf8.last.map({ $0 > 0x20 }) == true { element.text += " " }
            return
        }
        textLengths[textLengths.count - 1] += count
        guard textLengths[textLengths.count - 1] <= limits.text else { return failForLongText(element.name) }
        element.text += String(decoding: piece, as: UTF8.self)
    }

    private func failForLongText(_ name: String) {
        fail(.tooLarge, "the text of <\(name)> is longer than \(limits.text) bytes, which no statement needs")
    }
}

// Functions of the file, because a C callback cannot capture the class that its closure stands in.
private func reading(_ context: UnsafeMutableRawPointer?) -> Reading {
    Unmanaged<Reading>.fromOpaque(context!).takeUnretainedValue()
}

extension StringProtocol {
    fileprivate var trimmingSpaces: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
