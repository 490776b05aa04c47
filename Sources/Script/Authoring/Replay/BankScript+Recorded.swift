import BankScript

extension BankScript {
    /// Returns the script for the hosts of a recording, when the recording was made at other hosts, such as a mock bank's.
    public func served(asIn archive: HTTPArchive) -> BankScript {
        let recorded = archive.origins
        guard !recorded.isEmpty, recorded.count <= origins.count, !recorded.contains(where: origins.contains) else {
            return self
        }
        return served(atRecorded: recorded)
    }

    /// Returns the script at recorded origins, which stand for its own in the order in which a run reaches them.
    ///
    /// A visit may end before it reaches every origin. The script keeps the origins that are left.
    func served(atRecorded recorded: [String]) -> BankScript {
        var places = Array(origins.indices)
        if let first = originOpenedFirst { places.swapAt(0, first) }
        var given = origins
        for (place, origin) in zip(places, recorded) { given[place] = origin }
        return served(at: given, isForTesting: ScriptOrigins.areForTesting(recorded))
    }

    /// The place of the origin that the first step opens by its full address; nil for a path on the first origin.
    private var originOpenedFirst: Int? {
        guard let opened = steps.lazy.compactMap({ $0.action.as(OpenStep.self) }).first else { return nil }
        return origins.firstIndex { ScriptOrigins.one(of: opened.reference.source) == $0 }
    }
}
