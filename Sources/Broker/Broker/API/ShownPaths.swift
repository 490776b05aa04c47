import DeviceTrust
import Messages

// The paths of documents are told only to an agent that gets documents by their paths.

extension DocumentSummary {
    /// Returns the summary without paths, unless the agent gets documents by them.
    func shown(in ways: Set<AgentLimits.FileWay>) -> DocumentSummary {
        guard !ways.contains(.path) else { return self }
        var summary = self
        (summary.filePath, summary.filedPath) = (nil, nil)
        return summary
    }
}

extension RequestSummary {
    /// Returns the summary without paths, unless the agent gets documents by them.
    func shown(in ways: Set<AgentLimits.FileWay>) -> RequestSummary {
        guard !ways.contains(.path) else { return self }
        var summary = self
        (summary.filePath, summary.filedPath) = (nil, nil)
        summary.documents = documents?.map { $0.shown(in: ways) }
        return summary
    }
}
