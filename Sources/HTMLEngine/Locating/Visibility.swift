import CLibXML2

/// Which elements of a page a person would see. However many elements are asked about, what is around them is looked at
/// once.
struct Visibility {
    private var hidden: [xmlNodePtr: Bool] = [:]

    mutating func isHidden(_ element: Element) -> Bool {
        var asked: [xmlNodePtr] = []
        var isHidden = false
        var next: Element? = element
        while let current = next {
            if let known = hidden[current.node] {
                isHidden = known
                break
            }
            asked.append(current.node)
            isHidden = current.isHiddenItself
            next = isHidden ? nil : current.parent
        }
        for node in asked { hidden[node] = isHidden }
        return isHidden
    }
}
