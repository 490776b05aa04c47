import CLibXML2
import Synchronization

/// A page's tree. It never changes after parsing, so any thread may read it. Elements keep it alive.
public final class Document: @unchecked Sendable {
    private let tree: DocumentTree
    var pointer: xmlDocPtr { tree.document }
    /// The page's URL.
    public let url: String
    public let encoding: CharacterEncoding
    // Each is computed at its first use and kept.
    private let lazyMetadata = Mutex<DocumentMetadata?>(nil)
    private let lazyIndex = Mutex<DocumentIndex?>(nil)
    private let lazyNames = Mutex<ElementNames?>(nil)
    private let lazyText = Mutex<String?>(nil)

    /// Parses a page: finds its encoding, decodes it, and builds the tree that a browser would build.
    ///
    /// - Parameter contentType: the `Content-Type` header, for its charset.
    /// - Throws: ``DocumentError`` when a limit is exceeded.
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
        let document = Document(try TreeBuilder.parse(utf8, limits: limits), url: url, encoding: encoding)
        document.noteHiddenByStyles()
        return document
    }

    private init(_ tree: DocumentTree, url: String, encoding: CharacterEncoding) {
        self.tree = tree
        self.url = url
        self.encoding = encoding
    }

    package var metadata: DocumentMetadata { lazyMetadata.value { DocumentMetadata(self) } }

    /// The index that forms and locators use.
    var index: DocumentIndex { lazyIndex.value { DocumentIndex(self) } }

    /// The elements by name.
    var names: ElementNames { lazyNames.value { ElementNames(self) } }

    /// The page's text as a person reads it.
    public var text: String { lazyText.value { root?.text ?? "" } }

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

extension Mutex where Value: ~Copyable {
    /// Returns the kept value. The first caller makes it while others wait.
    fileprivate borrowing func value<Made: Sendable>(_ make: () -> Made) -> Made where Value == Made? {
        withLock { kept in
            if let kept { return kept }
            let made = make()
            kept = made
            return made
        }
    }
}
