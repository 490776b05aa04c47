import CLibXML2
import TextMatching

/// A name of a document: two names are the same where their addresses are.
typealias InternedName = UnsafePointer<xmlChar>

extension Document {
    /// Nil when it is certain that no element and no attribute of the page has the name.
    func interned(_ name: String) -> InternedName? {
        name.withBytes { bytes in
            if let known = KnownNames.shared.find(bytes) { return known.name }
            return bytes.baseAddress.flatMap { xmlDictExists(pointer.pointee.dict, $0, Int32(bytes.count)) }
        }
    }
}

extension xmlNodePtr {
    /// The value of an attribute, ended by a NUL; nil when the element has it not.
    func value(of name: InternedName?) -> UnsafePointer<xmlChar>? {
        guard name != nil else { return nil }
        var attribute = pointee.properties
        while let current = attribute {
            if current.pointee.name == name { return current.value }
            attribute = current.pointee.next
        }
        return nil
    }

    /// The value of an attribute by its name, where it is asked for of one element alone.
    func value(named name: String) -> UnsafePointer<xmlChar>? {
        guard let first = pointee.properties else { return nil }
        return name.withBytes { name in
            var attribute: xmlAttrPtr? = first
            while let current = attribute {
                if current.pointee.name.isSpelled(name) { return current.value }
                attribute = current.pointee.next
            }
            return nil
        }
    }
}

extension InternedName {
    fileprivate func isSpelled(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = 0
        while place < name.count {
            if self[place] != name[place] || self[place] == 0 { return false }
            place += 1
        }
        return self[place] == 0
    }
}

extension xmlAttrPtr {
    nonisolated(unsafe) private static let nothing: UnsafePointer<xmlChar> = {
        let empty = UnsafeMutablePointer<xmlChar>.allocate(capacity: 1)
        empty.initialize(to: 0)
        return UnsafePointer(empty)
    }()

    /// Ended by a NUL.
    var value: UnsafePointer<xmlChar> {
        guard let text = pointee.children, let content = text.pointee.content else { return Self.nothing }
        return UnsafePointer(content)
    }
}
