import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDSource

/// Greeting, request for reports, answer.
@Suite struct HandshakeTests {
    private static let devices = Line.devices(Line.device)

    @Test func versionThenWatchThenReports() {
        let talk = Talk()
        #expect(talk.hear(Line.version) == [.send("?WATCH={\"enable\":true,\"json\":true};\n")])
        #expect(talk.hear(Self.devices).isEmpty)
        #expect(talk.hear(Line.watch) == [.emit(.condition(.connected(reason: nil)))])
        #expect(!talk.isProductive)
        #expect(talk.hear(Line.tpv(#""mode":1"#)) == [.emit(.noFix(device: Line.device))])
        #expect(talk.isProductive)
    }

    @Test func theRequestNamesTheDeviceInFull() throws {
        let device = #"/dev/serial/by-id/usb-"u-blox"_AG\_"# + String(repeating: "x", count: 90) + "é-if00"
        guard case .send(let line) = Talk(device: device).hear(Line.version).first else { throw Failure("no request") }
        #expect(line.hasPrefix("?WATCH={") && line.hasSuffix("};\n"))
        #expect(line.dropLast().contains("\n") == false)
        struct Request: Decodable, Equatable {
            let enable: Bool
            let json: Bool
            let device: String
        }
        let object = Data(line.dropFirst("?WATCH=".count).dropLast(2).utf8)
        #expect(
            try JSONDecoder().decode(Request.self, from: object) == Request(enable: true, json: true, device: device))
        // gpsd's parser, as a path is usually written.
        #expect(WatchCommand(device: "/dev/ttyACM0").line.contains(#""device":"/dev/ttyACM0""#))
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2", "HTTP/1.1 400 Bad Request", "220 mail ESMTP", "$GPGGA,1,2*00", "{}", "\0"])
    func anotherServiceIsKnownByItsFirstLine(_ greeting: String) {
        #expect(Talk().hear(greeting) == [.fail(.notGPSD)])
    }

    @Test func aDefectiveLineAfterTheGreetingIsOnlyCounted() {
        let talk = Talk()
        talk.hear(Line.version)
        #expect(talk.hear("garbage") == [.count("garbage", example: Array("garbage".utf8))])
        #expect(talk.hear(Line.watch).condition != nil)
    }

    @Test func anEndWithoutAWordIsNotLikeOneInTheMiddle() {
        let talk = Talk()
        #expect(talk.failureAtEnd == .closedWithoutData)
        talk.hear(Line.version)
        #expect(talk.failureAtEnd == .closed)
        talk.hear(Line.watch)
        #expect(talk.failureAtEnd == .closed)
    }

    @Test func tenSecondsForEachStepOfTheHandshake() {
        let talk = Talk(silenceTimeout: 5)
        #expect(talk.patience == 10)
        #expect(talk.failureAtDeadline == .noGreeting)
        talk.hear(Line.version, after: 9)
        #expect(talk.patience == 10)
        #expect(talk.failureAtDeadline == .noWatch)
        talk.hear(Line.watch, after: 9)
        #expect(talk.patience == 5)
    }

    @Test func chatterInsteadOfTheHandshakeDoesNotProlongIt() {
        let talk = Talk()
        talk.hear(#"{"class":"NEW"}"#, after: 4)
        talk.hear(Line.fullTPV, after: 4)
        #expect(talk.patience == 2)
        talk.hear(Line.version)
        talk.hear(Line.fullTPV, after: 4)
        talk.hear(Self.devices, after: 4)
        talk.hear("garbage", after: 1)
        #expect(talk.patience == 1)
        #expect(talk.failureAtDeadline == .noWatch)
    }

    @Test func reportsBeforeTheAnswerAreNobodys() {
        let talk = Talk()
        #expect(talk.hear(Line.fullTPV).isEmpty)
        talk.hear(Line.version)
        #expect(talk.hear(Line.fullTPV).isEmpty)
        #expect(!talk.isProductive)
    }

    @Test func aRefusedRequestEndsTheConversation() {
        let talk = Talk(device: "/dev/none")
        talk.hear(Line.version)
        #expect(
            talk.hear(#"{"class":"ERROR","message":"No such device as /dev/none"}"#)
                == [.fail(.errorReply("No such device as /dev/none"))])
    }

    @Test func aRefusalThatQuotesBadlyIsOneToo() {
        // gpsd repeats the path as it was, quotes and all.
        let line = #"{"class":"ERROR","message":"No such device as /dev/"quoted""}"#
        let talk = Talk(device: #"/dev/"quoted""#)
        talk.hear(Line.version)
        guard case .fail(.errorReply(let message)) = talk.hear(line).first else {
            Issue.record("not taken for a refusal")
            return
        }
        #expect(message.contains(#"No such device as /dev/"quoted""#))
    }

    @Test func anErrorLaterOnIsOnlyCounted() {
        let line = #"{"class":"ERROR","message":"Can't perform DEVICES configuration"}"#
        #expect(Talk.streaming(devices: Line.device).hear(line) == [.count("errors", example: Array(line.utf8))])
    }

    @Test func aSecondGreetingOrAnswerIsNoNews() {
        let talk = Talk.streaming(devices: Line.device)
        #expect(talk.hear(Line.version).isEmpty)
        #expect(talk.hear(Line.watch).isEmpty)
    }
}
