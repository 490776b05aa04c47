/// Tags in SVG and MathML (section 13.2.6.5).
extension TreeBuilder {
    mutating func startTagInForeignContent() {
        let tag = tokenizer.tag.tag
        if tag.breaksOutOfForeign || tag == .font && hasFontAttribute {
            return leaveForeignContent { $0.startTagByMode() }
        }
        guard let namespace = open.current?.namespace else { return }
        insertElement(in: namespace)
        if tokenizer.tag.isSelfClosing { open.pop() }
    }

    private var hasFontAttribute: Bool {
        tokenizer.tag.attributes.contains { ["color", "face", "size"].contains(String(cString: $0.name)) }
    }

    private mutating func leaveForeignContent(_ process: (inout TreeBuilder) -> Void) {
        while let current = open.current, current.isForeign { open.pop() }
        process(&self)
    }

    mutating func endTagInForeignContent() {
        let tag = tokenizer.tag.tag
        if tag == .br || tag == .p { return leaveForeignContent { $0.endTagByMode() } }
        var index = open.count - 1
        while index > 0 {
            let element = open[index]
            if element.namespace == .html { return endTagByMode() }
            if element.name == tokenizer.tag.name { return open.removeAll(from: index) }
            index -= 1
        }
    }
}
