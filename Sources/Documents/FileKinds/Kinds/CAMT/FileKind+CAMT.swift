import Markup

extension FileKind {
    /// CAMT.053 statements, CAMT.052 reports and CAMT.054 notifications.
    package static let camt: FileKind = FileKind(
        "camt", words: "a CAMT file",
        isMarked: { $0.isMarkup && $0.holds("camt.05") },
        check: { bytes, _, _ throws(FileRefusal) in try camtBookings.check(bytes, as: .camt) },
        text: FileText.withoutTags,
        bookings: camtBookings)

    private static let camtBookings = BookingsFormat(
        read: CAMTReader.read,
        hasEnd: { bytes, _ in
            guard let mended = try? XMLText.mended(bytes, page: nil).bytes else { return false }
            return (try? XMLRecords.read(mended) { _ in true }) != nil
        },
        // Some programs leave out the namespace.
        lookalike: .init(words: "an XML file, but not CAMT") { $0.isMarkup && $0.holds("<document") })
}
