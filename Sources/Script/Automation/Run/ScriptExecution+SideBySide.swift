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
        guard let download = step.action.as(DownloadStep.self), download.readRequest == nil else { return false }
        switch download.source {
        case .request(let request): return request.method == "GET"
        case .submit: return false
        default: return true
        }
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
        let prepared = orders
        var failure: RunFailure?
        try await exchange(prepared) { index, arrival in
            position = steps[index].position
            let ended = try await settle(steps[index].step, prepared[index], arrival)
            failure = failure ?? ended
            return true
        }
        if let failure { throw failure }
    }

    /// The files that one slow download may leave on the disk unchecked, for each of those that run side by side.
    private static let reach = 4

    /// Makes the exchanges of downloads, as many at a time as the script says. None begins far ahead of the first that has
    /// not ended.
    ///
    /// - Parameter settle: called for each download in the script's order, as soon as it and those before it have ended,
    ///   while others go on. It returns false to begin no more of them.
    private func exchange(
        _ orders: [Result<Order, any Error>?],
        _ settle: (_ index: Int, _ arrival: Result<Arrival, any Error>?) async throws -> Bool
    ) async throws {
        var ready = orders.indices.filter { index in if case .success = orders[index] { true } else { false } }
        var arrivals: [Int: Result<Arrival, any Error>] = [:]
        var begun = 0
        var open = 0
        var settled = 0
        do {
            try await withThrowingTaskGroup(of: (Int, Result<Arrival, any Error>).self) { group in
                while true {
                    // What stands in order is checked while the others go on.
                    while settled < orders.count, isSettled(orders[settled], by: arrivals[settled]) {
                        let goesOn = try await settle(settled, arrivals.removeValue(forKey: settled))
                        settled += 1
                        if !goesOn { ready.removeLast(ready.count - begun) }
                    }
                    while open < script.atOnce, begun < ready.count, ready[begun] - settled < Self.reach * script.atOnce
                    {
                        let index = ready[begun]
                        begun += 1
                        guard case .success(let order) = orders[index] else { continue }
                        group.addTask { (index, await self.arrival(of: order)) }
                        open += 1
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
    }

    // MARK: Several months

    /// True if the months may be fetched beside one another: each is a row of downloads that need no page.
    var fetchesMonthsSideBySide: Bool {
        script.atOnce > 1 && script.monthsNeedNoPage && engine.downloadsSideBySide && services.gate.isOpen
            && script.forEachPeriod.allSatisfy(Self.mayHaveCompany)
    }

    /// Fetches months whose steps are downloads that need no page. The window of downloads reaches over several months; each
    /// month is handed over in its turn.
    ///
    /// - Throws: the first failure that ends the visit, after what had begun has ended and what came is handed over.
    func performMonthsSideBySide(
        _ turns: [[DocumentPlace]], from number: Int, _ receive: DocumentReceiver
    ) async throws {
        let outer = position
        defer { position = outer }
        let steps = script.forEachPeriod
        var orders: [Result<Order, any Error>?] = []
        for turn in turns {
            begin(turn)
            for (offset, step) in steps.enumerated() {
                position = StepPosition(number: number + offset, depth: 0, isFinally: false)
                orders.append(await order(of: step))
            }
        }
        let prepared = orders
        var failure: RunFailure?
        var ended = 0
        try await exchange(prepared) { index, arrival in
            let (turn, offset) = index.quotientAndRemainder(dividingBy: steps.count)
            ended = index + 1
            if offset == 0 {
                discardDocuments()
                begin(turns[turn])
            }
            goesOnAfterDownloads = true
            position = StepPosition(number: number + offset, depth: 0, isFinally: false)
            let reason = try await settle(steps[offset], prepared[index], arrival)
            failure = failure ?? reason
            if failure == nil, offset == steps.count - 1 {
                for place in turns[turn] { try await receive(place, takeDocument(place.kind)) }
            } else if failure != nil {
                for place in turns[turn] {
                    guard case .success = documents[place.kind] else { continue }
                    try await receive(place, takeDocument(place.kind))
                }
            }
            return failure == nil
        }
        discardDocuments()
        for case .success(let order) in prepared.dropFirst(ended) {
            try? FileManager.default.removeItem(at: order.file)
        }
        if let failure { throw failure }
    }

    /// Returns true if nothing more is to come for a download.
    private func isSettled(_ order: Result<Order, any Error>?, by arrival: Result<Arrival, any Error>?) -> Bool {
        if case .success = order { arrival != nil } else { true }
    }

    /// Prepares a step's download; nil for one that is not asked for.
    private func order(of step: Step) async -> Result<Order, any Error>? {
        guard let download = step.action.as(DownloadStep.self), wants(download) else { return nil }
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
        guard let order else { return nil }
        let place = place(of: step, at: position, captures)
        let began = (try? order.get())?.began ?? .now
        services.tell(.stepBegan(place))
        do {
            try Task.checkCancellation()
            try await take(arrival ?? .failure(CancellationError()), of: try order.get())
        } catch {
            guard let failure = await explain(error, of: step.action, at: place) else { throw CancellationError() }
            services.tell(.stepFailed(place, failure, ContinuousClock.now - began))
            if let download = step.action.as(DownloadStep.self), note(failure, of: download) { return nil }
            return failure
        }
        services.tell(.stepEnded(place, ContinuousClock.now - began))
        return nil
    }
}
