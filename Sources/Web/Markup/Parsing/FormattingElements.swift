import CLibXML2

/// The list of active formatting elements (HTML Standard, section 13.2.4.3), which the parser reopens where another end
/// tag cut them off.
struct FormattingElements {
    enum Entry {
        case marker
        case element(OpenElement)

        var element: OpenElement? { if case .element(let element) = self { element } else { nil } }
    }

    private(set) var entries: [Entry] = []

    subscript(index: Int) -> Entry { entries[index] }
    var count: Int { entries.count }

    mutating func addMarker() { entries.append(.marker) }

    mutating func clearToMarker() {
        while let last = entries.popLast() { if case .marker = last { return } }
    }

    /// Adds an element. If there are three like it since the last marker, the earliest is removed (the "Noah's Ark
    /// clause").
    ///
    /// - Returns: the number of comparisons.
    mutating func add(_ element: OpenElement) -> Int {
        var alike: [Int] = []
        var compared = 0
        var index = entries.count - 1
        while index >= 0, let other = entries[index].element {
            if other.name == element.name, Self.haveSameAttributes(other.node, element.node, &compared) {
                alike.append(index)
            }
            index -= 1
        }
        if alike.count >= 3, let first = alike.last { entries.remove(at: first) }
        entries.append(.element(element))
        return compared + alike.count
    }

    private static func haveSameAttributes(_ one: xmlNodePtr, _ other: xmlNodePtr, _ compared: inout Int) -> Bool {
        var count = 0
        var attribute = one.pointee.properties
        while let current = attribute {
            compared += 1
            guard let value = other.value(of: current.pointee.name), xmlStrEqual(value, current.value) == 1 else {
                return false
            }
            count += 1
            attribute = current.pointee.next
        }
        attribute = other.pointee.properties
        while let current = attribute {
            count -= 1
            attribute = current.pointee.next
        }
        return count == 0
    }

    func index(of node: xmlNodePtr) -> Int? { entries.lastIndex { $0.element?.node == node } }

    /// Returns the index of the last element with a name after the last marker.
    func lastIndex(of name: InternedName) -> Int? {
        var index = entries.count - 1
        while index >= 0, let element = entries[index].element {
            if element.name == name { return index }
            index -= 1
        }
        return nil
    }

    mutating func remove(at index: Int) { entries.remove(at: index) }

    mutating func remove(_ node: xmlNodePtr) {
        if let index = index(of: node) { entries.remove(at: index) }
    }

    mutating func replace(at index: Int, with element: OpenElement) { entries[index] = .element(element) }

    mutating func insert(_ element: OpenElement, at index: Int) { entries.insert(.element(element), at: index) }
}
