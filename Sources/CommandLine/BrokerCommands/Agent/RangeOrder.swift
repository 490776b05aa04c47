import ArgumentParser
import Messages

/// The order of the two ends of `--from` and `--to`.
enum RangeOrder {
    /// Refuses ends in the wrong order, with the two in the right one.
    ///
    /// - Throws: `ValidationError`.
    static func check(_ first: RangeEnd?, _ last: RangeEnd?) throws {
        guard let first, let last else { return }
        let isReversed =
            first.month > last.month
            || first.month == last.month && (first.day ?? 1) > (last.day ?? last.month.length)
        guard isReversed else { return }
        throw ValidationError("--to \(last) is before --from \(first); did you mean --from \(last) --to \(first)?")
    }
}
