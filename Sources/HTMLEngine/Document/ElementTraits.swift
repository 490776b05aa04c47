import CLibXML2

/// What is asked of each element again and again: the parser finds it out, and leaves it where libxml2 would keep the line
/// that the element stands on.
struct ElementTraits {
    /// By the name, whatever the namespace.
    let tag: Tag
    let reading: Reading
    let controlType: ControlType

    /// - Parameter node: an element with all of its attributes.
    init(of tag: Tag, _ node: xmlNodePtr, _ names: NameTable) {
        var type: UnsafePointer<xmlChar>?
        var isHidden = false
        var attribute = node.pointee.properties
        while let current = attribute {
            switch current.pointee.name {
            case names.hidden: isHidden = true
            case names.type: type = current.value
            case names.style where !isHidden: isHidden = Self.hides(style: String(cString: current.value))
            default: break
            }
            attribute = current.pointee.next
        }
        self.tag = tag
        controlType = ControlType(of: tag, tag == .input || tag == .button ? type : nil)
        reading = isHidden || controlType == .hidden ? .unseen : Reading(of: tag, node.pointee.name)
    }

    private static func hides(style: String) -> Bool {
        let style = style.lowercased().filter { !$0.isWhitespace }
        return style.contains("display:none") || style.contains("visibility:hidden")
    }
}

extension ElementTraits {
    fileprivate init(bits: UInt16) {
        tag = Tag(rawValue: UInt8(truncatingIfNeeded: bits)) ?? .other
        reading = Reading(rawValue: UInt8(truncatingIfNeeded: bits >> 8) & 0x03) ?? .inline
        controlType = ControlType(rawValue: UInt8(truncatingIfNeeded: bits >> 10)) ?? .none
    }

    fileprivate var bits: UInt16 {
        UInt16(tag.rawValue) | UInt16(reading.rawValue) << 8 | UInt16(controlType.rawValue) << 10
    }
}

extension xmlNodePtr {
    /// Of an element that the parser is done with.
    var traits: ElementTraits {
        get { ElementTraits(bits: pointee.line) }
        nonmutating set { pointee.line = newValue.bits }
    }

    var tag: Tag { traits.tag }
    var reading: Reading { traits.reading }
}

extension Element {
    var tag: Tag { node.tag }
}
