import CLibXML2
import Encodings

/// A libxml2 document that owns the memory of its nodes and frees it as a whole.
///
/// Budget: the warm fetch (1.3 times bare libcurl). libxml2 would allocate and free each node and each text by itself, and a page has thousands. It must not free anything
/// that is made here.
final class DocumentTree: @unchecked Sendable {
    /// About as much as the tree of a bank's page takes.
    private static let blockSize = 32 << 10

    let document: xmlDocPtr
    private var blocks: [UnsafeMutableRawPointer] = []
    /// Free space in the last block.
    private var next: UnsafeMutableRawPointer?
    private var left = 0
    /// Texts that have grown: their length, and the room where they are.
    private var grown: [xmlNodePtr: (length: Int, room: Int)] = [:]

    /// Returns nil when there is not enough memory.
    init?() {
        guard let document = xmlNewDoc("1.0") else { return nil }
        self.document = document
        document.pointee.dict = xmlDictCreate()
        if document.pointee.dict == nil { return nil }
    }

    deinit {
        document.pointee.children = nil
        document.pointee.last = nil
        xmlFreeDoc(document)
        for block in blocks { block.deallocate() }
    }

    // MARK: Nodes

    /// - Parameter name: an interned name.
    func element(_ name: InternedName) -> xmlNodePtr {
        let node = room(for: xmlNode.self)
        node.initialize(to: xmlNode())
        node.pointee.type = XML_ELEMENT_NODE
        node.pointee.name = name
        node.pointee.doc = document
        let notes = room(for: ElementNotes.self)
        notes.initialize(to: ElementNotes())
        node.pointee._private = UnsafeMutableRawPointer(notes)
        return node
    }

    func text(_ bytes: Bytes) -> xmlNodePtr {
        let node = room(for: xmlNode.self)
        node.initialize(to: xmlNode())
        node.pointee.type = XML_TEXT_NODE
        node.pointee.name = countersign_xml_name_of_texts()
        node.pointee.doc = document
        node.pointee.content = content(bytes, room: bytes.count)
        return node
    }

    /// Adds an attribute that the element does not have yet.
    ///
    /// - Parameter name: an interned name.
    func add(_ name: InternedName, _ value: Bytes, to element: xmlNodePtr) {
        let attribute = room(for: xmlAttr.self)
        attribute.initialize(to: xmlAttr())
        attribute.pointee.type = XML_ATTRIBUTE_NODE
        attribute.pointee.name = name
        attribute.pointee.doc = document
        attribute.pointee.parent = element
        if !value.isEmpty {
            let text = text(value)
            text.pointee.parent = UnsafeMutableRawPointer(attribute).assumingMemoryBound(to: xmlNode.self)
            attribute.pointee.children = text
            attribute.pointee.last = text
        }
        guard var last = element.pointee.properties else {
            element.pointee.properties = attribute
            return
        }
        while let following = last.pointee.next { last = following }
        last.pointee.next = attribute
        attribute.pointee.prev = last
    }

    /// - Returns: how much more memory the text uses.
    func append(_ bytes: Bytes, to text: xmlNodePtr) -> Int {
        var (length, room) = grown[text] ?? (UnsafePointer(text.pointee.content).spelling.count, 0)
        var taken = 0
        if length + bytes.count > room {
            // Reserve twice as much, so that a text that grows byte by byte is not copied each time.
            room = 2 * (length + bytes.count)
            taken = room
            text.pointee.content = content(Bytes(start: text.pointee.content, count: length), room: room)
        }
        if let start = bytes.baseAddress { (text.pointee.content + length).update(from: start, count: bytes.count) }
        length += bytes.count
        text.pointee.content[length] = 0
        grown[text] = (length, room)
        return taken
    }

    // MARK: Memory

    private func content(_ bytes: Bytes, room: Int) -> UnsafeMutablePointer<xmlChar> {
        let start = take(room + 1).bindMemory(to: xmlChar.self, capacity: room + 1)
        if let source = bytes.baseAddress { start.initialize(from: source, count: bytes.count) }
        start[bytes.count] = 0
        return start
    }

    private func room<Node>(for type: Node.Type) -> UnsafeMutablePointer<Node> {
        take(MemoryLayout<Node>.size).bindMemory(to: type, capacity: 1)
    }

    private func take(_ size: Int) -> UnsafeMutableRawPointer {
        let size = (size + 7) & ~7
        if let next, size <= left {
            self.next = next + size
            left -= size
            return next
        }
        // A long text has a block of its own, so that it does not waste the rest of the current one.
        let isLong = size > Self.blockSize / 4
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: isLong ? size : Self.blockSize, alignment: MemoryLayout<Int>.alignment)
        blocks.append(block)
        if !isLong {
            next = block + size
            left = Self.blockSize - size
        }
        return block
    }
}
