import BankScript
import Foundation
import Messages

// Downloads that follow one another, and run side by side where the script says that the bank allows it.

extension ScriptExecution {
    /// Returns the places of the downloads at the beginning of some steps that may run side by side.
    ///
    /// A person who steps through a script sees one step at a time.
    func downloadsInARow(_ steps: ArraySlice<Step>) -> Range<Int> {
        let start = steps.startIndex
        guard script.atOnce > 1, engine.downloadsSideBySide, services.gate.isOpen else { return start..<start }
        let end = steps.firstIndex { !Self.mayHaveCompany($0) }
        return start..<(end ?? steps.endIndex)
    }

    /// False for a download that sends a body: what it sends has to stay the ledger's latest until its last redirect.
    private static func mayHaveCompany(_ step: Step) -> Bool {
        guard case .download(let download) = step.action else { return false }
        if case .request(let request) = download.source { return request.method == "GET" }
        return true
    }

    /// Performs downloads side by side, as many at a time as the script says. Each is told of, checked and kept in the
    /// script's order. One that fails does not stop the others.
    ///
    /// - Throws: the first failure that ends the steps, after all have ended.
    func performSideBySide(_ steps: [(step: Step, position: StepPosition)]) async throws {
        let outer = position
        defer { position = outer }
        var orders: [Result<Order, any Error>?] = []
        for (step, position) in steps {
            self.position = position
            orders.append(await order(of: step))
        }
        let ready = orders.indices.filter { index in if case .success = orders[index] { true } else { false } }
        var failure: RunFailure?
        var arrivals: [Int: Result<Arrival, any Error>] = [:]
        var begun = 0
        var open = 0
        var settled = 0
        do {
            try await withThrowingTaskGroup(of: (Int, Result<Arrival, any Error>).self) { group in
                while true {
                    while open < script.atOnce, begun < ready.count {
                        let index = ready[begun]
                        begun += 1
                        guard case .success(let order) = orders[index] else { continue }
                        group.addTask { (index, await self.arrival(of: order)) }
                        open += 1
                    }
                    // What stands in order is checked while the others go on.
                    while settled < steps.count, isSettled(orders[settled], by: arrivals[settled]) {
                        position = steps[settled].position
                        let ended = try await settle(steps[settled].step, orders[settled], arrivals[settled])
                        settled += 1
                        if failure == nil { failure = ended }
                    }
                    guard open > 0, let (index, arrival) = try await group.next() else { break }
                    open -= 1
                    arrivals[index] = arrival
                }
            }
        } catch {
            for case .success(let order) in orders[settled...] { try? FileManager.default.removeItem(at: order.file) }
            throw error
        }
        if let failure { throw failure }
    }

    /// Returns true if nothing more is to come for a download.
    private func isSettled(_ order: Result<Order, any Error>?, by arrival: Result<Arrival, any Error>?) -> Bool {
        if case .success = order { arrival != nil } else { true }
    }

    /// Prepares a step's download; nil for one that is not asked for.
    private func order(of step: Step) async -> Result<Order, any Error>? {
        guard case .download(let download) = step.action, wants(download) else { return nil }
        do {
            return .success(try await order(download))
        } catch {
            return .failure(error)
        }
    }

    /// Tells of a download, checks what arrived and keeps it.
    ///
    /// - Returns: the failure, if it ends the steps.
    private func settle(
        _ step: Step, _ order: Result<Order, any Error>?, _ arrival: Result<Arrival, any Error>?
    ) async throws -> RunFailure? {
        let place = place(of: step, at: position, captures)
        let began = (try? order?.get())?.began ?? .now
        services.tell(.stepBegan(place))
        do {
            try Task.checkCancellation()
            if let order { try await take(arrival ?? .failure(CancellationError()), of: try order.get()) }
        } catch {
            guard let failure = await explain(error, of: step.action, at: place) else { throw CancellationError() }
            services.tell(.stepFailed(place, failure, ContinuousClock.now - began))
            if case .download(let download) = step.action, note(failure, of: download) { return nil }
            return failure
        }
        services.tell(.stepEnded(place, ContinuousClock.now - began))
        return nil
    }
}
