import CGumbo

/// What Gumbo made of a page: its tree, which refers to the page's bytes, for as long as `body` runs.
enum GumboTree {
    static func parse<Result>(
        _ utf8: [UInt8], _ limits: DocumentLimits,
        _ body: (UnsafeMutablePointer<GumboNode>, UnsafeBufferPointer<CChar>) throws(DocumentError) -> Result
    ) throws(DocumentError) -> Result {
        // An empty buffer has no address to give.
        let page = utf8.isEmpty ? [0x0A] : utf8
        let depth = limits.depth(forSize: page.count)
        var bounds = countersign_parse_limits(
            memory: limits.memory, depth: depth, attributes: limits.attributes, time: limits.time.wholeMilliseconds)
        let outcome = page.withUnsafeBufferPointer { bytes -> Swift.Result<Result, DocumentError> in
            bytes.withMemoryRebound(to: CChar.self) { text -> Swift.Result<Result, DocumentError> in
                var parse: OpaquePointer?
                let outcome = countersign_parse_page(text.baseAddress!, text.count, &bounds, &parse)
                guard let parse, let document = countersign_parse_document(parse) else {
                    return .failure(DocumentError(outcome, limits, depth: depth))
                }
                defer { countersign_parse_free(parse) }
                do throws(DocumentError) {
                    return .success(try body(document, text))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try outcome.get()
    }
}

extension DocumentError {
    fileprivate init(_ outcome: countersign_parse_outcome, _ limits: DocumentLimits, depth: Int) {
        switch outcome {
        case COUNTERSIGN_OVER_DEPTH:
            self.init(code: .tooDeep, message: "the page nests deeper than the depth limit of \(depth) for its size")
        case COUNTERSIGN_OVER_ATTRIBUTES:
            self.init(
                code: .tooManyAttributes,
                message: "an element has more attributes than the attribute limit of \(limits.attributes)")
        case COUNTERSIGN_OVER_MEMORY:
            self.init(
                code: .tooMuchMemory,
                message: "the page takes more to parse than the parser’s memory limit of \(limits.memory) bytes")
        case COUNTERSIGN_OVER_TIME:
            self.init(
                code: .tooMuchTime,
                message:
                    "the page takes longer to parse than the parser’s time limit of \(limits.time.wholeMilliseconds) ms"
            )
        default: self.init(code: .unparsable, message: "there is not enough memory to parse the page")
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}
