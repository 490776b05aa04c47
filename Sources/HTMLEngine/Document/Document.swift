import CLibXML2
import Synchronization

/// A page's tree. It does not change once it is parsed, so it may be read from anywhere; nodes keep it alive.
public final class Document: @unchecked Sendable {
    private let tree: DocumentTree
    var pointer: xmlDocPtr { tree.document }
    /// The page's own URL, without the fragment's meaning for anything here.
    public let url: String
    public let encoding: CharacterEncoding
    private let lazyMetadata = Mutex<DocumentMetadata?>(nil)
    private let lazyIndex = Mutex<DocumentIndex?>(nil)
    private let lazyNames = Mutex<ElementNames?>(nil)
    private let lazyText = Mutex<String?>(nil)

    /// Parses a page: bytes, encoding sniffing, the browser’s tree in a libxml2 document.
    ///
    /// - Parameter contentType: the `Content-Type` header, for its charset.
    /// - Throws: ``DocumentError`` when a limit is passed.
    public static func parse(
        _ bytes: [UInt8], contentType: String? = nil, url: String = "about:blank",
        limits: DocumentLimits = DocumentLimits()
    ) throws(DocumentError) -> Document {
        guard bytes.count <= limits.size else {
            throw DocumentError(
                code: .tooLarge,
                message: "the page has \(bytes.count) bytes, more than the size limit of \(limits.size)")
        }
        let encoding = CharacterEncoding.sniff(bytes, contentType: contentType)
        let utf8 = encoding.decode(bytes)
        return Document(try TreeBuilder.parse(utf8, limits: limits), url: url, encoding: encoding)
    }

    private init(_ tree: DocumentTree, url: String, encoding: CharacterEncoding) {
        self.tree = tree
        self.url = url
        self.encoding = encoding
    }

    var metadata: DocumentMetadata {
        lazyMetadata.withLock { metadata in
            if let metadata { return metadata }
            let made = DocumentMetadata(self)
            metadata = made
            return made
        }
    }

    /// What forms and locators look up again and again, gathered at the first need.
    var index: DocumentIndex {
        lazyIndex.withLock { index in
            if let index { return index }
            let made = DocumentIndex(self)
            index = made
            return made
        }
    }

    /// The elements by their names, gathered when a selector first asks.
    var names: ElementNames {
        lazyNames.withLock { names in
            if let names { return names }
            let made = ElementNames(self)
            names = made
            return made
        }
    }

    /// The whole page's text as a person reads it, put together at the first need.
    public var text: String {
        lazyText.withLock { text in
            if let text { return text }
            let made = root?.text ?? ""
            text = made
            return made
        }
    }

    /// The `html` element.
    public var root: Element? {
        var node = pointer.pointee.children
        while let current = node {
            if current.pointee.type == XML_ELEMENT_NODE { return Element(current, in: self) }
            node = current.pointee.next
        }
        return nil
    }

    /// The text of the first `title`.
    public var title: String { metadata.title ?? "" }
}
