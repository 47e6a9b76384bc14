import ArgumentParser
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport

/// `locctl get`: requests one location.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Requests one location and prints it.",
        discussion: "Starts the receiver if necessary. Exits with 5 if no location comes in time.")

    @OptionGroup var options: ConnectionOptions

    @Option(
        name: .customLong("max-age"),
        help: ArgumentHelp("Accept a location so old; 0 requests a new fix.", valueName: "seconds"))
    var maximumAge: NumberArgument = 0.0

    @Option(help: ArgumentHelp("Wait at most so long.", valueName: "seconds"))
    var timeout: NumberArgument = 30.0

    @Option(help: ArgumentHelp("Wait for a location of at least this accuracy.", valueName: "metres"))
    var accuracy: Double?

    @Option(
        help: ArgumentHelp(
            "Wait for a location of at least this accuracy, and print the best one if none comes.",
            valueName: "metres"))
    var desiredAccuracy: Double?

    @Flag(help: "Start no receiver.")
    var passive = false

    @Flag(help: "An estimate in place of a fix, as of `locctl watch --estimate`.")
    var estimate = false

    private struct Report: Encodable {
        let location: Aged<Location>
        /// Present only if the accuracy is reduced.
        let accuracy: AccuracyAuthorization?

        private enum CodingKeys: String, CodingKey { case accuracyAuthorization }

        func encode(to encoder: any Encoder) throws {
            try location.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(accuracy, forKey: .accuracyAuthorization)
        }
    }

    func validate() throws {
        try requireFinite(maximumAge.value, "--max-age")
        try requireFinite(timeout.value, "--timeout")
        try requireAttainable(accuracy, "--accuracy")
        try requireAttainable(desiredAccuracy, "--desired-accuracy")
        try refuse([("--accuracy", accuracy != nil)], with: "--desired-accuracy", if: desiredAccuracy != nil)
    }

    func run() throws {
        let connection = try options.connect(wait: timeout.value)
        let request = LocationRequest(
            maximumAge: maximumAge.value, timeout: timeout.value, requiredAccuracy: accuracy ?? desiredAccuracy,
            passive: passive, estimate: estimate)
        // A location does not say whether it is reduced. The status is fetched first, so that it does not delay the
        // location.
        let isReduced =
            try connection.call(LocationInterface.Method.getStatus, as: StatusReply.self).status.accuracy == .reduced
        do throws(LocationError) {
            try show(location(request, over: connection), isReduced: isReduced)
        } catch {
            switch error {
            case .timedOut(let best?) where desiredAccuracy != nil,
                .unavailable(_, let best?) where desiredAccuracy != nil:
                return try show(Aged(best, age: best.age(at: MachineClock.now)), isReduced: isReduced)
            case .timedOut(let best):
                if let best { report(best) }
                throw Failure(code: error.exitCode, message: timeoutReason(best, error))
            case .unavailable(_, let best?): report(best)
            default: break
            }
            throw error
        }
    }

    /// Seconds after which it is said why no location has come yet.
    private static let quiet = 2.0

    private func location(
        _ request: LocationRequest, over connection: VarlinkConnection
    ) throws(LocationError) -> Aged<Location> {
        try connection.send(LocationInterface.Method.getLocation, request)
        var reply = try connection.nextReply(seconds: Self.quiet)
        if reply == nil {
            writeReasonToWait()
            reply = try connection.nextReply()
        }
        guard let reply else { throw .cancelled }
        return try reply.answer(as: LocationReply.self).location
    }

    /// Says what is waited for, if a second connection is told that at once.
    private func writeReasonToWait() {
        guard let waker = Waker(),
            let status = try? VarlinkConnection(path: options.path, waker: waker, seconds: 1)
                .call(LocationInterface.Method.getStatus, as: StatusReply.self, seconds: 1).status,
            status.source != .tracking || status.reason != nil
        else { return }
        Output.write(
            "\(Text.line(status)); waiting for a location, \(Text.duration(timeout.value)) at most", to: STDERR_FILENO)
    }

    private func report(_ best: Location) {
        let age = best.age(at: MachineClock.now)
        Output.write(
            "the best location known: \(Text.line(best, age: age))  age \(Text.duration(age))", to: STDERR_FILENO)
    }

    /// Why none came in time.
    private func timeoutReason(_ best: Location?, _ error: LocationError) -> String {
        // One that came and is too coarse is no matter of the sources.
        if let best, let accuracy, best.horizontalAccuracy.map({ $0 > accuracy }) ?? true { return "\(error)" }
        return "no new location came in time"
            + (presentReason.map { ": \($0)" } ?? "; `locctl diagnose` finds the cause")
    }

    /// Why there is none now. The daemon tells that to who needs locations, and to nobody else; not in its first reply,
    /// if nobody needed any before.
    private var presentReason: String? {
        guard !passive, let connection = try? options.connect() else { return nil }
        var request = WatchRequest()
        request.purpose = "locctl get"
        guard (try? connection.send(LocationInterface.Method.watch, request, more: true)) != nil else { return nil }
        let end = MachineClock.now.advanced(bySeconds: 1)
        while let reply = try? connection.nextReply(seconds: end.seconds(since: MachineClock.now)),
            let update = try? reply.answer(as: WatchReply.self), update.location == nil
        {
            if let reason = update.status?.reason { return reason }
        }
        return nil
    }

    private func show(_ location: Aged<Location>, isReduced: Bool) throws(LocationError) {
        guard options.json else {
            return Output.write(
                Text.line(location.value, age: location.age, isReduced: isReduced)
                    + "  age \(Text.duration(location.age))")
        }
        let report = Report(location: location, accuracy: isReduced ? .reduced : nil)
        do { try Output.writeJSON(report) } catch { throw .protocolViolation("a number that is not finite") }
    }
}
