/// A value that does not count when its owner is compared: a file that is read twice gives equal statements, and their
/// marks of the reading differ.
@propertyWrapper
struct Incomparable<Value: Sendable>: Sendable, Hashable {
    var wrappedValue: Value

    static func == (left: Incomparable, right: Incomparable) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
