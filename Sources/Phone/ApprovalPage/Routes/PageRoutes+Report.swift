import Foundation
import HTTPTypes
import Hummingbird
import Phone
import PhoneStore

/// The report of a failed run: shown before it is saved, to be sent to the author of the bank's script.
extension PageRoutes {
    func report(_ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let (stored, text) = try await failure(context)
        let runner = try await state.unlocked()
        return PageViews.page(
            "report", title: PageText.of("report.title"), session: session, in: .inbox,
            [
                "id": stored.id.description, "what": PageViews.words(stored.subject),
                "bank": runner.bankName(stored.bankID), "text": text,
            ])
    }

    func reportFile(_ context: PageContext) async throws -> Response {
        _ = try PageRequest.session(context)
        let (stored, text) = try await failure(context)
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/plain; charset=utf-8",
                .contentDisposition: "attachment; filename=\"report-\(stored.id.short).txt\"",
            ], body: .init(byteBuffer: .init(string: text)))
    }

    private func failure(_ context: PageContext) async throws -> (stored: StoredRequest, text: String) {
        let id = try requestID(context)
        guard let stored = try await state.store.request(id), stored.status == .failed,
            let text = try await state.unlocked().failureReport(of: id)
        else { throw PageRefusal.notFound }
        return (stored, text)
    }
}
