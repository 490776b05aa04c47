/// A part of a message, with a code that says its meaning (FinTS 3.0, Formals, chapter B.4: “Segment”).
package struct Segment: Sendable {
    /// The segment's code, such as `HKIDN`.
    package let code: String
    package let version: Int
    /// The place in the message, from 1; 0 when the bank left it out.
    package var number: Int
    /// The number of the customer's segment that this one answers; nil for one that answers the message as a whole.
    package let reference: Int?
    /// The groups behind the header.
    package var groups: [ElementGroup]

    package init(
        _ code: String, version: Int, number: Int = 0, reference: Int? = nil, _ groups: [ElementGroup] = []
    ) {
        self.code = code
        self.version = version
        self.number = number
        self.reference = reference
        self.groups = groups
    }

    /// Returns a group; an empty one beyond the end, because elements at a segment's end may be left out.
    ///
    /// - Parameter index: counts from 1 behind the header, as the second column of the specification's tables less one.
    package func group(_ index: Int) -> ElementGroup {
        groups.indices.contains(index - 1) ? groups[index - 1] : []
    }

    /// Returns an element of a group; an empty one beyond the end.
    ///
    /// - Parameters:
    ///   - index: the group, from 1 behind the header.
    ///   - place: the place in the group, from 1.
    package func element(_ index: Int, _ place: Int = 1) -> DataElement { group(index).element(place) }
}

extension ElementGroup {
    /// Returns an element; an empty one beyond the end.
    ///
    /// - Parameter place: counts from 1.
    package func element(_ place: Int) -> DataElement { indices.contains(place - 1) ? self[place - 1] : .empty }
}
