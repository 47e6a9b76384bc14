@_spi(Programs) import LocationKit
import Testing

/// Whatever a daemon answers, the caller gets an error and never waits for ever.
@Suite(.timeLimit(.minutes(10)))
struct WrongAnswerTests {
    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: [UInt8]

        init(_ name: String, _ answer: [UInt8]) {
            testDescription = name
            self.answer = answer
        }

        init(_ name: String, _ answer: String) {
            self.init(name, Array(answer.utf8) + [0])
        }
    }

    static let wrongAnswers = [
        Wrong("garbage", "HTTP/1.1 400 Bad Request"),
        Wrong("nothing", ""),
        Wrong("an array", "[]"),
        Wrong("invalid UTF-8", Array(#"{"error":""#.utf8) + [0xFF] + Array(#""}"#.utf8) + [0]),
        Wrong("deep nesting", #"{"parameters":"# + String(repeating: "[", count: 100_000)),
        Wrong("an error that is no string", #"{"error":5}"#),
        Wrong("five mebibytes", Array(repeating: UInt8(ascii: " "), count: 5 << 20) + [0]),
        Wrong("five mebibytes without an end", Array(repeating: UInt8(ascii: "x"), count: 5 << 20)),
        Wrong("a status that is none", #"{"parameters":{"status":7,"location":7}}"#),
        Wrong("an impossible position", #"{"parameters":{"location":{"latitude":91,"longitude":0,"age":0}}}"#),
        Wrong("a location without a number", location.replacing(#""sequence":1,"#, with: "")),
        Wrong("a location whose number is null", location.replacing(#""sequence":1"#, with: #""sequence":null"#)),
        Wrong("a location without a time", location.replacing(#""monotonicTime":1,"#, with: "")),
        Wrong("a location without a mode", location.replacing(#""mode":"twoDimensional","#, with: "")),
        Wrong("a location without a source", location.replacing(#""source":"#, with: #""sauce":"#)),
    ]
    /// Complete, but for what a case leaves out.
    private static let location =
        #"{"parameters":{"location":{"latitude":1,"longitude":0,"age":0,"mode":"twoDimensional","monotonicTime":1,"#
        + #""sequence":1,"speed":2,"source":{"name":"s","isSimulated":false,"isReplayed":false}}}}"#

    @Test(arguments: wrongAnswers)
    func inReplyToACallItIsAViolation(_ wrong: Wrong) async throws {
        let daemon = try ScriptedDaemon(answer: wrong.answer, then: .stays)
        await #expect {
            try await LocationClient(socketPath: daemon.path).location()
        } throws: { error in
            guard case LocationError.protocolViolation(let what) = error else { return false }
            return !what.isEmpty
        }
        await daemon.clientLeft()
        #expect(
            await daemon.receivedCall()
                == #"{"method":"org.locationd.location.GetLocation","parameters":{}}"#)
    }

    @Test(arguments: wrongAnswers)
    func inReplyToAWatchItIsAViolation(_ wrong: Wrong) async throws {
        let daemon = try ScriptedDaemon(answer: wrong.answer, then: .stays)
        await #expect {
            for try await _ in LocationClient(socketPath: daemon.path).updates() {}
        } throws: { error in
            guard case LocationError.protocolViolation(let what) = error else { return false }
            return !what.isEmpty
        }
        await daemon.clientLeft()
        #expect(
            await daemon.receivedCall()
                == #"{"method":"org.locationd.location.Watch","more":true,"parameters":{"library":"LocationKit 0.1.0"}}"#
        )
    }

    @Test(arguments: ["", #"{"parameters":{"status""#, "{}"])
    func endBeforeTheAnswerIsOverIsADisconnection(_ answer: String) async throws {
        let first = try ScriptedDaemon(answer: answer, then: .closes)
        await #expect(throws: LocationError.disconnected) {
            try await LocationClient(socketPath: first.path).status()
        }
        let second = try ScriptedDaemon(answer: answer, then: .closes)
        await #expect(throws: LocationError.disconnected) {
            for try await _ in LocationClient(socketPath: second.path).updates() {}
        }
    }

    @Test func emptyAnswerToAQuestionIsAViolation() async throws {
        let daemon = try ScriptedDaemon(answer: "{}\0", then: .stays)
        await #expect {
            try await LocationClient(socketPath: daemon.path).status()
        } throws: { error in
            guard case LocationError.protocolViolation(let what) = error else { return false }
            return what.contains("status")
        }
    }

    @Test func valuesOfALaterVersionAreUnknown() async throws {
        let status =
            #"{"accuracy":"odd","authorization":"perhaps","authorizationPending":false,"enabled":true,"#
            + #""source":"dreaming","later":{}}"#
        let daemon = try ScriptedDaemon(
            answer: "{\"parameters\":{\"status\":\(status),\"new\":1},\"newer\":[]}\0", then: .stays)
        let received = try await LocationClient(socketPath: daemon.path).status()
        #expect(received.accuracy == .unknown)
        #expect(received.authorization == .unknown)
        #expect(received.source == .unknown)
        #expect(received.enabled)
    }
}
