import CLibXML2
import Encodings

/// A name that occurs once in memory: two names are equal when their addresses are.
typealias InternedName = UnsafePointer<xmlChar>

extension Document {
    /// Returns nil only if no element and no attribute of the page has the name.
    func interned(_ name: String) -> InternedName? {
        name.withBytes { bytes in
            if let known = KnownNames.shared.find(bytes) { return known.name }
            return bytes.baseAddress.flatMap { xmlDictExists(pointer.pointee.dict, $0, Int32(bytes.count)) }
        }
    }
}

extension xmlNodePtr {
    /// Returns the value of an attribute, terminated by a NUL; nil when the element does not have it.
    func value(of name: InternedName?) -> UnsafePointer<xmlChar>? {
        guard name != nil else { return nil }
        var attribute = pointee.properties
        while let current = attribute {
            if current.pointee.name == name { return current.value }
            attribute = current.pointee.next
        }
        return nil
    }

    /// Returns the value of an attribute by a name that is not interned, for lookups on a single element.
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

    /// The value, terminated by a NUL.
    var value: UnsafePointer<xmlChar> {
        guard let text = pointee.children, let content = text.pointee.content else { return Self.nothing }
        return UnsafePointer(content)
    }
}
