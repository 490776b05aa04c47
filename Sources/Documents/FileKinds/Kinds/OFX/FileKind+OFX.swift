extension FileKind {
    /// OFX 1 and 2, which is also what QFX and Money files are.
    package static let ofx: FileKind = FileKind(
        "ofx", words: "an OFX file",
        isMarked: { start in
            // Some programs leave out the header's first line.
            start.lower.hasPrefix("ofxheader") || start.lower.hasPrefix("data:ofxsgml")
                || start.isMarkup && (start.holds("<ofx") || start.holds("<?ofx"))
        },
        check: { bytes, _, _ throws(FileRefusal) in try ofxBookings.check(bytes, as: .ofx) },
        text: FileText.withoutTags,
        bookings: ofxBookings)

    private static let ofxBookings = BookingsFormat(
        read: { bytes, options throws(ReadingError) in
            try OFXCollector.read(bytes, isXML: FileStart.bytes(bytes).starts(with: "<?".utf8), options)
        },
        hasEnd: { _, text in text.ends(withMark: "</ofx>") })
}
