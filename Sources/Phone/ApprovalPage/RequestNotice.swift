import Languages

/// A notice outside of the page that a request waits. It names no bank and no month: others may see the screen.
package struct RequestNotice: Sendable, Hashable {
    package let title: String
    package let text: String

    init(in sentences: Sentences) {
        title = sentences["push.request"]
        text = sentences["notice.request-text"]
    }

    package static let english = RequestNotice(in: PageResources.sentences[.english])
}
