@_spi(Programs) import LocationKit
import Testing

/// The conversion of the daemon's errors to `LocationError`, and their messages.
@Suite(.timeLimit(.minutes(10)))
struct LocationErrorTests {
    struct Answer: Sendable, CustomTestStringConvertible {
        let name: String
        let parameters: String
        let error: LocationError
        var testDescription: String { "\(name) \(parameters)" }

        init(_ name: String, _ parameters: String, _ error: LocationError) {
            self.name = name
            self.parameters = parameters
            self.error = error
        }

        var message: String { "{\"error\":\"\(name)\",\"parameters\":\(parameters)}\0" }
    }

    static let best: Location? = Coordinate(latitude: 52.5, longitude: 13.4).map { coordinate in
        var location = Location(
            coordinate: coordinate, mode: .threeDimensional, monotonicTime: BootInstant(seconds: 7.5),
            source: SourceInformation(name: "gpsd"))
        location.sequence = 9
        return location
    }
    static let bestText =
        #"{"latitude":52.5,"longitude":13.4,"mode":"threeDimensional","age":3.5,"monotonicTime":7.5,"sequence":9,"#
        + #""source":{"name":"gpsd","method":"gnss","isSimulated":false,"isReplayed":false}}"#

    private static let location = "org.locationd.location"

    static let answers = [
        Answer(
            "\(location).NotAuthorized", #"{"authorization":"denied","reason":"ask Anna"}"#,
            .unauthorized(.denied, reason: "ask Anna")),
        Answer(
            "\(location).NotAuthorized", #"{"authorization":"later","reason":"ask Anna"}"#,
            .unauthorized(.unknown, reason: "ask Anna")),
        Answer("\(location).NotAuthorized", "{}", .unauthorized(.unknown, reason: "the daemon gives no reason")),
        Answer("\(location).Disabled", "{}", .disabled),
        Answer(
            "\(location).LocationUnavailable", "{\"reason\":\"no gpsd\",\"best\":\(bestText)}",
            .unavailable(reason: "no gpsd", best: best)),
        Answer("\(location).LocationUnavailable", #"{"reason":"no gpsd"}"#, .unavailable(reason: "no gpsd", best: nil)),
        Answer("\(location).LocationUnavailable", "7", .unavailable(reason: "the daemon gives no reason", best: nil)),
        Answer("\(location).TimedOut", "{\"best\":\(bestText)}", .timedOut(best: best)),
        Answer("\(location).TimedOut", #"{"best":null}"#, .timedOut(best: nil)),
        Answer("\(location).TimedOut", #"{"best":"nowhere"}"#, .timedOut(best: nil)),
        Answer("\(location).TooManyClients", #"{"limit":128}"#, .tooManyClients(limit: 128)),
        Answer(
            "org.varlink.service.InvalidParameter", #"{"parameter":"timeout","reason":"seconds"}"#,
            .invalidParameter("timeout", reason: "seconds")),
        Answer(
            "org.varlink.service.InvalidParameter", #"{"parameter":"timeout"}"#,
            .invalidParameter("timeout", reason: "the daemon gives no reason")),
        Answer(
            "org.varlink.service.PermissionDenied", "{}",
            .unauthorized(.denied, reason: "only administrators may do that")),
        Answer(
            "org.varlink.service.MethodNotFound", #"{"method":"x"}"#,
            .refused(error: "org.varlink.service.MethodNotFound", reason: nil)),
        Answer("org.other.Odd", #"{"reason":"because"}"#, .refused(error: "org.other.Odd", reason: "because")),
    ]

    @Test(arguments: answers)
    func errorReplyToACallIsThrown(_ answer: Answer) async throws {
        let daemon = try ScriptedDaemon(answer: answer.message, then: .stays)
        await #expect(throws: answer.error) { try await LocationClient(socketPath: daemon.path).location() }
        await daemon.clientLeft()
    }

    @Test(arguments: answers)
    func errorReplyToAWatchIsThrown(_ answer: Answer) async throws {
        let status =
            #"{"accuracy":"full","authorization":"authorizedAlways","authorizationPending":false,"enabled":true,"#
            + #""source":"stopped"}"#
        let opening = "{\"continues\":true,\"parameters\":{\"status\":\(status)}}\0"
        let daemon = try ScriptedDaemon(answer: opening + answer.message, then: .stays)
        var statuses = 0
        await #expect(throws: answer.error) {
            for try await update in LocationClient(socketPath: daemon.path).updates() {
                if update.status?.source == .stopped { statuses += 1 }
            }
        }
        #expect(statuses == 1)
        await daemon.clientLeft()
    }

    @Test func eachDescriptionSaysWhatToDoNext() {
        let steps: [(LocationError, String)] = [
            (.daemonNotRunning(path: "/run/x", reason: "gone"), "systemctl start locationd"),
            (.daemonNotRunning(path: "/run/x", reason: "gone"), "/run/x (gone)"),
            (.unauthorized(.denied, reason: "ask Anna"), "ask Anna"),
            (.disabled, "sudo locctl start"),
            (.unavailable(reason: "no gpsd", best: nil), "no gpsd"),
            (.timedOut(best: nil), "locctl diagnose"),
            (.timedOut(best: Self.best), "longer time"),
            (.tooManyClients(limit: 128), "128"),
            (.disconnected, "restarted"),
            (.cancelled, "cancelled"),
            (.invalidParameter("timeout", reason: "seconds"), "timeout is not accepted: seconds"),
            (.refused(error: "org.other.Odd", reason: nil), "org.other.Odd"),
            (.refused(error: "org.other.Odd", reason: "because"), "because"),
            (.protocolViolation("not valid JSON"), "not valid JSON"),
        ]
        for (error, step) in steps {
            #expect(error.description.contains(step))
            #expect(!error.description.contains("\n"))
        }
    }
}
