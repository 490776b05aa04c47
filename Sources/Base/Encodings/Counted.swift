extension Int {
    /// Returns the number with its noun, such as “1 script” or “2 scripts”.
    ///
    /// - Parameter many: the plural where it is more than the noun with an s.
    package func counted(_ one: String, _ many: String? = nil) -> String {
        "\(self) \(self == 1 ? one : many ?? one + "s")"
    }
}
