package import Fleet
import FoundationEssentials
package import HTTPRequests
@_spi(Programs) package import LocationModel
package import Logging
import ServiceKit
@_spi(Programs) package import SystemSupport

/// Sends the messages of the outbox to one server, in their order and one at a time, and the newest location alone to a
/// server that shows no other.
///
/// A server that is slow, away or lying delays nobody else, and costs no memory: what waits is in the outbox, and the
/// cursor says how far this server is. A message may be sent twice where the program ends, or an answer is lost,
/// between the server's acceptance and the cursor.
///
/// Ownership: the actor owns the schedule and what the destination has to remember. One loop, ``run(_:_:)``, sends;
/// inputs only change values and wake it.
package actor HTTPDelivery {
    /// What there is to say of the destination.
    package struct State: Sendable, Equatable {
        package var waiting = 0
        package var dropped = 0
        /// Reports that the server has accepted, and attempts that failed, since the program has begun.
        package var (delivered, failed) = (0, 0)
        package var lastDelivery: UTCTime?
        /// Why the last report was not delivered; `nil` if it was, or before the first.
        package var trouble: String?
        /// Whether nothing is sent until the configuration or the credential changes.
        package var isStopped = false

        package init() {}
    }

    /// What is saved with the cursor.
    struct Memory: Codable, Equatable {
        /// Seconds since 1970: the time of the last location, where there is an interval.
        var lastTime: Int64?
        /// Why the server was left alone, and what has to change until it is not.
        var stop: String?
        var fingerprint: String?
        var lastDelivery: Int64?
        var homeAssistant: Registration?
    }

    package nonisolated let destination: HTTPDestination
    let outbox: MessageOutbox
    let clock: ServiceClock
    let logger: Logger
    private let exchange: @Sendable (HTTPRequest, Double) async throws(HTTPFailure) -> HTTPAnswer
    private let wake = WakeSignal()

    private var schedule: DestinationSchedule
    private(set) package var state = State()
    var memory = Memory()
    private var cursor: Int64 = 0
    /// What is on the disk.
    private var saved: (cursor: Int64, memory: Memory)?
    private var secret: DestinationSecret?
    private var tests: [(payload: [UInt8], answer: CheckedContinuation<String?, Never>)] = []
    private var isEnding = false
    private var timer: Pause.Cancellation?
    var home = HomeFollower()
    /// What was delivered last, where a home follows.
    private var last: [UInt8]?
    /// Why Home Assistant's home is left where it is; `nil` if it is not.
    var homeTrouble: String?

    /// Seconds for a request and its answer, and of these for the look-up, the connection and TLS.
    package static let (timeLimit, connectLimit) = (30.0, 10.0)
    /// Seconds from one look at the credential of a server that has refused to the next, and after a failure of the
    /// disk.
    private static let (secretPause, retryPause) = (60.0, 5.0)

    /// - Parameters:
    ///   - rate: messages a second, of those that wait.
    ///   - exchange: sends a request within so many seconds.
    package init(
        _ destination: HTTPDestination, _ outbox: MessageOutbox, rate: Double, clock: ServiceClock, logger: Logger,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        exchange: @escaping @Sendable (HTTPRequest, Double) async throws(HTTPFailure) -> HTTPAnswer
    ) {
        (self.destination, self.outbox, self.clock, self.exchange) = (destination, outbox, clock, exchange)
        var logger = logger
        logger[metadataKey: "destination"] = "\(destination.name)"
        self.logger = logger
        let pace = destination.address.form.showsNewest ? destination.interval : 1 / rate
        schedule = DestinationSchedule(pace: pace, jitter: jitter)
    }

    // MARK: Inputs

    /// So many messages are new in the outbox, and so many were deleted that waited.
    package func add(_ count: Int, dropped: Int) {
        state.waiting = showsNewest ? min(1, state.waiting + count) : max(0, state.waiting + count - dropped)
        state.dropped += dropped
        wake.send()
    }

    package func setPaused(_ isPaused: Bool) {
        guard schedule.isPaused != isPaused else { return }
        schedule.isPaused = isPaused
        wake.send()
    }

    /// A location of the daemon, for the home that follows.
    package func applyLocation(_ location: Location, isReduced: Bool) {
        guard destination.movesHome else { return }
        home.applyLocation(location, isReduced: isReduced)
        if home.place != nil { wake.send() }
    }

    /// Sends a message at once, whatever the server has done before.
    ///
    /// - Returns: why it is not delivered; `nil` if it is.
    package func test(_ payload: [UInt8]) async -> String? {
        await withCheckedContinuation { continuation in
            guard !isEnding else { return continuation.resume(returning: "the service ends") }
            tests.append((payload, continuation))
            wake.send()
        }
    }

    /// Ends ``run(_:_:)`` after the request in progress.
    package func end() {
        isEnding = true
        timer?()
        wake.finish()
    }

    // MARK: The loop

    /// Sends until ``end()``, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - report: receives the state, whenever it may have changed.
    ///   - carryOut: receives the commands in the server's answers.
    package func run(
        _ report: @Sendable (State, OutboxError?) async -> Void, _ carryOut: @Sendable (RemoteCommand) async -> Void
    ) async {
        wake.send()
        for await _ in wake.signals {
            do throws(OutboxError) {
                try await begin()
                try await deliver(carryOut)
                await report(state, nil)
            } catch {
                await report(state, error)
                wakeLater(Self.retryPause)
            }
        }
        for test in tests { test.answer.resume(returning: "the service ends") }
        tests = []
    }

    var showsNewest: Bool { destination.address.form.showsNewest }

    /// Reads where the destination is, once.
    private func begin() async throws(OutboxError) {
        guard saved == nil, let progress = try await outbox.progress(of: destination.name) else { return }
        if let text = progress.memory, let known = try? JSONDecoder().decode(Memory.self, from: Data(text.utf8)) {
            memory = known
        }
        (cursor, saved) = (progress.cursor, (progress.cursor, memory))
        (state.waiting, state.dropped) = (progress.waiting, progress.dropped)
        state.lastDelivery = memory.lastDelivery.map { UTCTime(seconds: $0) }
        readSecret()
        guard let stop = memory.stop else { return }
        if memory.fingerprint == destination.fingerprint(secret, origin: outbox.origin) {
            logger.warning("nothing is sent, because nothing has changed since", metadata: ["reason": "\(stop)"])
            schedule.stop(stop)
            showTrouble()
        } else {
            memory.stop = nil
        }
    }

    private func deliver(_ carryOut: @Sendable (RemoteCommand) async -> Void) async throws(OutboxError) {
        while !isEnding {
            try await save()
            if !tests.isEmpty {
                let test = tests.removeFirst()
                let outcome = await send(test.payload, carryOut)
                if outcome == .delivered { schedule.resume() }
                apply(outcome)
                test.answer.resume(returning: outcome.words)
                continue
            }
            switch schedule.next(at: clock.now()) {
            case .rest:
                if schedule.isStopped { resumeIfSecretChanged() }
                if schedule.next(at: clock.now()) == .rest { return }
            case .wait(let seconds): return wakeLater(seconds)
            case .send:
                let (isMoved, failure) = await moveHome()
                if let failure {
                    apply(failure)
                    continue
                }
                guard let report = try await outbox.report(after: cursor, showsNewest: showsNewest) else {
                    // Home Assistant compares a device with its home at each report, and only then.
                    if isMoved, let last { apply(await send(last, carryOut)) }
                    return
                }
                guard !isPassedOver(report) else {
                    pass(report)
                    continue
                }
                let outcome = await send(report.payload, carryOut)
                if outcome == .delivered { pass(report) }
                apply(outcome)
            }
        }
    }

    /// Whether a message is nothing for the server, or a location comes too soon after another.
    private func isPassedOver(_ report: MessageOutbox.Report) -> Bool {
        guard let message = DeviceReport(waiting: report.payload) else {
            return destination.address.form != .ownTracks
        }
        guard !showsNewest, destination.interval > 0, message.kind == .location, let time = message.tst,
            let last = memory.lastTime
        else { return false }
        return time >= last && Double(time - last) < destination.interval
    }

    private func pass(_ report: MessageOutbox.Report) {
        cursor = report.id
        state.waiting = showsNewest ? 0 : max(0, state.waiting - 1)
    }

    private func send(_ payload: [UInt8], _ carryOut: @Sendable (RemoteCommand) async -> Void) async
        -> DestinationSchedule.Outcome
    {
        readSecret()
        let (name, user, device) = (destination.address.url, destination.user, destination.device)
        let outcome: DestinationSchedule.Outcome
        switch destination.address.form {
        case .homeAssistant: outcome = await sendToHomeAssistant(payload)
        case .traccar:
            var request = HTTPRequest(to: name)
            let fields = DeviceReport(waiting: payload)?.osmAndFields(identifier: device)
            request.body = fields.map { Array(FormEncoding.text(of: $0).utf8) }
            request.contentType = "application/x-www-form-urlencoded"
            outcome = await answer(request).failure ?? .delivered
        case .ownTracks:
            let body = OwnTracksPost.body(payload, user: user, device: device)
            let (answer, failure) = await answer(HTTPRequest(to: name, body: body))
            if destination.acceptsCommands, failure == nil, !OwnTracksPost.isResponse(payload), let answer {
                for command in RemoteCommand.commands(in: answer.body).prefix(1) { await carryOut(command) }
            }
            outcome = failure ?? .delivered
        }
        guard outcome == .delivered else { return outcome }
        if destination.interval > 0, let report = DeviceReport(waiting: payload), report.kind == .location {
            memory.lastTime = report.tst
        }
        if destination.movesHome { last = payload }
        memory.lastDelivery = clock.utc().seconds
        return outcome
    }

    /// Sends a request with the destination's headers.
    ///
    /// - Returns: the answer, if there is one, and why the server has not accepted the request; `nil` if it has.
    func answer(
        _ request: HTTPRequest, isAuthorized: Bool = true
    ) async -> (answer: HTTPAnswer?, failure: DestinationSchedule.Outcome?) {
        var request = request
        request.headers = destination.headers(isAuthorized ? secret : nil)
        let judge = AnswerJudge(
            destination: destination, secrets: [secret?.text, memory.homeAssistant?.webhook].compactMap(\.self))
        do throws(HTTPFailure) {
            let answer = try await exchange(request, Self.timeLimit)
            return (answer, judge.failure(answer))
        } catch {
            return (nil, judge.failure(error, after: Self.timeLimit))
        }
    }

    // MARK: Outcomes

    private func apply(_ outcome: DestinationSchedule.Outcome) {
        // The end of the program is no failure of the server.
        guard outcome == .delivered || !Task.isCancelled else { return }
        schedule.apply(outcome, at: clock.now())
        if outcome == .delivered {
            if state.trouble != nil { logger.notice("the server accepts reports again") }
            state.delivered += 1
            state.lastDelivery = clock.utc()
            memory.stop = nil
        } else {
            state.failed += 1
            if let words = outcome.words, words != state.trouble || schedule.isStopped {
                logger.warning(
                    schedule.isStopped ? "nothing is sent any more" : "a report is not delivered",
                    metadata: ["reason": "\(words)"])
            }
            if schedule.isStopped {
                memory.stop = outcome.words
                memory.fingerprint = destination.fingerprint(secret, origin: outbox.origin)
            }
        }
        showTrouble()
    }

    private func showTrouble() {
        (state.trouble, state.isStopped) = (schedule.trouble ?? homeTrouble, schedule.isStopped)
    }

    private func readSecret() {
        do {
            secret = try destination.secret()
        } catch {
            secret = nil
            logger.error("the token or the password cannot be read", metadata: ["reason": "\(error)"])
        }
    }

    /// A server that has refused is asked again when the credential is another.
    private func resumeIfSecretChanged() {
        readSecret()
        guard memory.fingerprint != destination.fingerprint(secret, origin: outbox.origin) else {
            return wakeLater(Self.secretPause)
        }
        logger.notice("the token or the password has changed; reports are sent again")
        memory.stop = nil
        schedule.resume()
        showTrouble()
    }

    private func save() async throws(OutboxError) {
        guard let saved, saved.cursor != cursor || saved.memory != memory else { return }
        let (cursor, memory) = (cursor, memory)
        let text = (try? JSONEncoder().encode(memory)).map { String(decoding: $0, as: UTF8.self) }
        try await outbox.advance(destination.name, to: cursor, memory: text)
        self.saved = (cursor, memory)
    }

    private func wakeLater(_ seconds: Double) {
        timer?()
        timer = isEnding ? nil : clock.after(seconds) { [wake] in wake.send() }
    }
}
