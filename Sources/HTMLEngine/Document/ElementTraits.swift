import CLibXML2

/// What is asked of each element again and again: the parser finds it out, and leaves it where libxml2 would keep the line
/// that the element stands on.
struct ElementTraits {
    /// By the name, whatever the namespace.
    let tag: Tag
    let reading: Reading
    let controlType: ControlType
    let hasRole: Bool

    /// - Parameter node: an element with all of its attributes.
    init(of tag: Tag, _ node: xmlNodePtr, _ names: NameTable) {
        var type: UnsafePointer<xmlChar>?
        var isHidden = false
        var hasRole = false
        var attribute = node.pointee.properties
        while let current = attribute {
            switch current.pointee.name {
            case names.hidden: isHidden = true
            case names.type: type = current.value
            case names.role: hasRole = true
            case names.style where !isHidden: isHidden = Self.hides(style: String(cString: current.value))
            default: break
            }
            attribute = current.pointee.next
        }
        self.tag = tag
        self.hasRole = hasRole
        controlType = tag.isControl ? ControlType(of: tag, type) : .none
        reading = isHidden || controlType == .hidden ? .unseen : Reading(of: tag)
    }

    private static func hides(style: String) -> Bool {
        let style = style.lowercased().filter { !$0.isWhitespace }
        return style.contains("display:none") || style.contains("visibility:hidden")
    }
}

/// Sixteen bits, from the lowest: eight for the tag, two for the reading, five for the type of control, one for the role.
extension ElementTraits {
    fileprivate static func tag(in bits: UInt16) -> UInt8 { UInt8(truncatingIfNeeded: bits) }
    fileprivate static func reading(in bits: UInt16) -> UInt8 { UInt8(truncatingIfNeeded: bits >> 8) & 0x03 }
    fileprivate static func controlType(in bits: UInt16) -> UInt8 { UInt8(truncatingIfNeeded: bits >> 10) & 0x1F }
    fileprivate static func hasRole(in bits: UInt16) -> Bool { bits >> 15 == 1 }

    fileprivate var bits: UInt16 {
        UInt16(tag.rawValue) | UInt16(reading.rawValue) << 8 | UInt16(controlType.rawValue) << 10
            | (hasRole ? 1 << 15 : 0)
    }
}

extension xmlNodePtr {
    func note(_ traits: ElementTraits) { pointee.line = traits.bits }

    func noteTraits(of other: xmlNodePtr) { pointee.line = other.pointee.line }

    // MARK: Of an element that the parser is done with

    var tag: Tag { Tag(rawValue: ElementTraits.tag(in: pointee.line)) ?? .other }
    var reading: Reading { Reading(rawValue: ElementTraits.reading(in: pointee.line)) ?? .inline }
    var controlType: ControlType { ControlType(rawValue: ElementTraits.controlType(in: pointee.line)) ?? .none }
    /// Whether it has a `role`, whatever that says.
    var hasRole: Bool { ElementTraits.hasRole(in: pointee.line) }
}

extension Element {
    var tag: Tag { node.tag }
}
