import CLibXML2

/// The layout of an element's text: decided by its name, unless its attributes hide it.
enum Display: UInt8 {
    case inline
    /// A line or a cell of its own: the texts before and after it are apart.
    case block
    /// A person sees none of it.
    case hidden

    init(of tag: Tag) {
        switch tag {
        case .script, .style, .template, .head, .datalist, .iframe, .object, .audio, .video, .canvas:
            self = .hidden
        case .address, .article, .aside, .blockquote, .br, .caption, .center, .dd, .details, .dialog, .dir, .div, .dl,
            .dt, .fieldset, .figcaption, .figure, .footer, .form, .h1, .h2, .h3, .h4, .h5, .h6, .header, .hr, .legend,
            .li, .main, .menu, .nav, .ol, .optgroup, .option, .p, .pre, .section, .select, .summary, .table, .tbody,
            .td, .tfoot, .th, .thead, .tr, .ul:
            self = .block
        default: self = .inline
        }
    }
}

/// Facts about an element that the parser finds out once, because forms and locators ask for them again and again.
///
/// Budget: the warm fetch (1.3 times bare libcurl).
struct ElementTraits {
    /// By the name, whatever the namespace.
    let tag: Tag
    let display: Display
    let controlType: ControlType
    /// True if there is a `role` attribute, whatever it says.
    let hasRole: Bool

    /// The traits of a node that holds a template's content.
    static var none: ElementTraits { ElementTraits() }

    private init() {
        tag = .other
        display = .inline
        controlType = .none
        hasRole = false
    }

    /// - Parameter node: an element with all of its attributes.
    init(of tag: Tag, _ node: xmlNodePtr, _ names: NameTable) {
        var type: UnsafePointer<xmlChar>?
        var isHidden = false
        var hasRole = false
        // A closed dialog is not displayed (HTML Standard, section 15.3.2).
        var isClosedDialog = tag == .dialog
        var attribute = node.pointee.properties
        while let current = attribute {
            switch current.pointee.name {
            case names.hidden: isHidden = true
            case names.type: type = current.value
            case names.role: hasRole = true
            case names.open: isClosedDialog = false
            case names.style where !isHidden: isHidden = Self.hides(style: String(cString: current.value))
            default: break
            }
            attribute = current.pointee.next
        }
        self.tag = tag
        self.hasRole = hasRole
        controlType = tag.isControl ? ControlType(of: tag, type) : .none
        display = isHidden || isClosedDialog || controlType == .hidden ? .hidden : Display(of: tag)
    }

    static func hides(style: String) -> Bool {
        let style = style.lowercased().filter { !$0.isWhitespace }
        return ["display:none", "visibility:hidden", "visibility:collapse"].contains { style.contains($0) }
    }
}

/// The parser's notes on an element. libxml2's node points to them with `_private`, its field for applications.
struct ElementNotes {
    var traits = ElementTraits.none
    /// True if a style sheet of the page hides it, or it is a popover, which a button opens.
    var isHiddenByStyle = false
    /// The form that the parser associated a control with (HTML Standard, section 4.10.18.3).
    var formOwner: xmlNodePtr?
    /// The parent of a template's content, which is not part of the page.
    var templateContents: xmlNodePtr?
}

extension xmlNodePtr {
    /// The notes on an element; other nodes have none.
    var notes: UnsafeMutablePointer<ElementNotes> { pointee._private.assumingMemoryBound(to: ElementNotes.self) }

    var tag: Tag { notes.pointee.traits.tag }
    var display: Display { notes.pointee.traits.display }
    var controlType: ControlType { notes.pointee.traits.controlType }
    var hasRole: Bool { notes.pointee.traits.hasRole }
}

extension Element {
    package var tag: Tag { node.tag }
    package var controlType: ControlType { node.controlType }
    package var isSubmitButton: Bool { controlType.isSubmitButton }
}
