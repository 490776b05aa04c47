import CLibXML2

// What a person sees of a page whose style sheets this module does not read.

extension Element {
    /// True if the element hides itself, whatever its ancestors are.
    package var isHiddenItself: Bool { node.display == .hidden || node.isFolded }

    /// True if a person cannot see it: an attribute or the page's style hides it, or it is in a closed `dialog` or `details`.
    public var isHidden: Bool { isHidden(countingFolded: true) }

    /// True if a person can neither see it nor bring it into sight: with a click on a `summary`, or with the pointer over a
    /// menu.
    package var isOutOfReach: Bool { isHidden(countingFolded: false) }

    /// True if it is in a closed `details`, which one click opens, or hidden by the page's style, which may show it later.
    package var isFolded: Bool {
        node.isFolded || ancestors.contains { $0.node.isFolded }
    }

    private func isHidden(countingFolded: Bool) -> Bool {
        var next: xmlNodePtr? = node
        while let current = next {
            if current.display == .hidden || countingFolded && current.isFolded { return true }
            next = current.parentElement
        }
        return false
    }

    /// True if its text is a line or a cell of its own.
    package var isBlock: Bool { node.display == .block }

    /// True if a person can see it but not use it (HTML Standard, section 6.3).
    package var isInert: Bool {
        // On most pages nothing is inert.
        guard document.interned("inert") != nil else { return false }
        return has("inert") || ancestors.contains { $0.has("inert") }
    }

    /// True if a browser that runs scripts does not show it.
    package var isForBrowsersWithoutScripts: Bool { ancestors.contains { $0.tag == .noscript } }

    /// True if a person sees something of it: text, a control, a picture or a frame. An empty element is not shown.
    ///
    /// What is part of no page's picture, such as `meta` and hidden fields, counts as shown: who names it can only mean
    /// that it is there.
    package var isShown: Bool {
        if tag.isMetadata || controlType == .hidden { return true }
        guard !isHiddenWithoutContent, parent?.isHidden != true else { return false }
        if fillsSpace { return !isSpacer }
        return !text.isEmpty || descendants.contains { $0.fillsSpace && !$0.isSpacer && $0.isShownInside(self) }
    }

    /// True if its own attributes hide it. The display of an embedded document hides its text, not its box.
    private var isHiddenWithoutContent: Bool {
        guard isHiddenItself else { return false }
        guard tag.isEmbedded else { return true }
        return has("hidden") || self[attribute: "style"].map(ElementTraits.hides) ?? false || node.isFolded
    }

    private func isShownInside(_ outer: Element) -> Bool {
        guard !isHiddenWithoutContent else { return false }
        for ancestor in ancestors {
            if ancestor == outer { return true }
            if ancestor.isHiddenItself { return false }
        }
        return true
    }

    /// True for a picture of a pixel or less, with which old pages keep distances, and which counts visits.
    private var isSpacer: Bool {
        guard tag == .img || tag == .svg || tag == .iframe else { return false }
        return ["width", "height"].contains { side in
            self[attribute: side].map { ["0", "1", "0px", "1px"].contains($0.lowercased()) } ?? false
        }
    }

    /// True if it takes up space without any text in it. A link without a text is a picture that a style sheet draws.
    private var fillsSpace: Bool {
        switch tag {
        case .input, .select, .textarea, .button, .meter, .progress, .img, .svg, .math, .embed, .frame, .hr: true
        case .a, .area: has("href")
        case .audio: has("controls")
        case let tag where tag.isEmbedded: true
        default:
            ["button", "img", "link", "checkbox", "switch", "radio"].contains(
                self[attribute: "role"]?.lowercased() ?? "")
        }
    }
}

extension Tag {
    /// True if it holds a document or a picture of its own.
    fileprivate var isEmbedded: Bool {
        switch self {
        case .iframe, .object, .video, .canvas, .audio: true
        default: false
        }
    }

    /// True if no browser displays it, whatever the page says.
    var isMetadata: Bool {
        switch self {
        case .base, .link, .meta, .script, .style, .template, .title, .head: true
        default: false
        }
    }
}

extension xmlNodePtr {
    /// True if a style sheet hides the node, or a closed `details` around it shows only its summary (HTML Standard, section
    /// 4.11.1).
    var isFolded: Bool {
        if isElement, notes.pointee.isHiddenByStyle { return true }
        guard let parent = parentElement, parent.tag == .details, parent.value(named: "open") == nil else {
            return false
        }
        var child = parent.firstElementChild
        while let current = child, current.tag != .summary { child = current.nextElement }
        return child != self
    }
}
