import Encodings
import Foundation
import HTMLEngine

/// The structure of a visit's pages without personal data, so that another person can write a script: tags, labels, names
/// of fields, words of links, headings of tables, members of JSON answers. Every value is left out.
///
/// The person reads each line before it is written, so each line can be understood and dropped alone.
public struct Survey: Sendable {
    public var lines: [SurveyLine]

    static let title = "countersign-survey"

    /// - Throws: ``DraftError`` when the archive has neither a page nor a JSON answer.
    public init(of archive: HTTPArchive) throws(DraftError) {
        let visits = RecordedVisit.all(in: archive.navigations)
        let answers = archive.exchanges.filter { $0.mediaType?.hasSuffix("json") == true && $0.responseBody != nil }
        guard !visits.isEmpty || !answers.isEmpty else {
            throw DraftError(message: "the recording has neither a page nor a JSON answer")
        }
        let documents = visits.compactMap(\.document)
        let language = documents.lazy.compactMap { $0.root?[attribute: "lang"] }.first { !$0.isEmpty } ?? "en"
        let bodies = answers.compactMap { answer in
            answer.responseBody.flatMap { try? JSONReader.read($0, limits: JSONLimits(size: max($0.count, 1))) }
        }
        let mask = SurveyMask(documents, answers: bodies)
        var lines = [SurveyLine(0, Self.title, nil, [("version", "1"), ("language", language)])]
        for origin in ScriptOrigins.all(of: visits.map(\.landed.url) + answers.map(\.url)) {
            lines.append(SurveyLine(0, "origin", nil, [("at", origin)]))
        }
        let writer = SurveyWriter(mask: mask, locale: language)
        var seen: Set<[SurveyLine]> = []
        for visit in visits {
            let page = writer.lines(of: visit)
            // The next page of a list looks like the first; list it once.
            if seen.insert(page).inserted { lines += page }
        }
        for answer in answers {
            let members = writer.lines(ofJSON: answer)
            if seen.insert(members).inserted { lines += members }
        }
        if let home = ScriptOrigins.all(of: visits.map(\.landed.url) + answers.map(\.url)).first,
            var requests = RequestDraft(archive, home: home, locale: language)
        {
            let made = requests.make()
            lines += SurveyCallWriter(mask: mask).lines(of: made.steps, finally: made.finally)
        }
        self.lines = lines
    }

    /// Reads a survey's text.
    ///
    /// - Throws: ``DraftError`` when the text is not a survey.
    public init(reading text: String) throws(DraftError) {
        lines = text.split { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }.filter { $0.first { $0 != " " } != "#" }
            .compactMap {
                SurveyLine(reading: $0)
            }
        guard lines.first?.kind == Self.title else {
            throw DraftError(message: "the file is not a survey: its first line does not begin with \(Self.title)")
        }
    }

    public var text: String { lines.map { "\($0)\n" }.joined() }
}
