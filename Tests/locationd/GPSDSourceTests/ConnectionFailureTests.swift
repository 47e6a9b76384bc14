import Testing

@testable import GPSDSource

/// Each reason says where and what to do.
@Suite struct ConnectionFailureTests {
    private static let endpoint = GPSDEndpoint(host: "gps.example", port: 2948)

    @Test(
        arguments: [
            (.nameNotFound("Name or service not known"), "gps.example", "`host` in locationd.toml"),
            (.refused, "gps.example:2948", "systemctl start gpsd.socket"),
            (.unreachable("No route to host"), "gps.example:2948", "No route to host"),
            (.closedWithoutData, "gps.example:2948", "64 clients"),
            (.closed, "gps.example:2948", "restarts"),
            (.noGreeting, "gps.example:2948", "probing a receiver"),
            (.notGPSD, "gps.example:2948", "`host` and `port` in locationd.toml"),
            (.noWatch, "gps.example:2948", "probing a receiver"),
            (.errorReply("No such device as /dev/x"), "gps.example:2948", "No such device as /dev/x"),
            (.silent(seconds: 20, devices: []), "gps.example:2948", "/etc/default/gpsd"),
            (.silent(seconds: 20, devices: ["/dev/a", "/dev/b"]), "gps.example:2948", "is /dev/a, /dev/b powered"),
        ] as [(ConnectionFailure, String, String)])
    func everyReasonNamesThePlaceAndTheNextStep(failure: ConnectionFailure, place: String, step: String) {
        let reason = failure.reason(for: Self.endpoint)
        #expect(reason.contains(place))
        #expect(reason.contains(step))
        #expect(reason.last?.isPunctuation == false || reason.hasSuffix("?") || reason.hasSuffix(")"))
    }

    @Test func aRefusalOfTheConfiguredDeviceLeadsToTheConfiguration() {
        let endpoint = GPSDEndpoint(device: "/dev/x")
        let reason = ConnectionFailure.errorReply("No such device as /dev/x").reason(for: endpoint)
        #expect(reason.contains("`device` in locationd.toml"))
    }

    @Test func whatGpsdSaysIsShownHarmlesslyAndInBrief() {
        let message = "\u{1B}]0;owned\u{07}\n" + String(repeating: "x", count: 100_000)
        let reason = ConnectionFailure.errorReply(message).reason(for: Self.endpoint)
        #expect(reason.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        #expect(reason.count < 1000)
        let silent = ConnectionFailure.silent(seconds: 20, devices: ["/dev/\u{1B}[2J"]).reason(for: Self.endpoint)
        #expect(silent.contains("/dev/?[2J"))
    }

    @Test func endpointsAreWrittenAsInConfigurations() {
        #expect(GPSDEndpoint().description == "127.0.0.1:2947")
        #expect(GPSDEndpoint(host: "::1", port: 1).description == "[::1]:1")
    }
}
