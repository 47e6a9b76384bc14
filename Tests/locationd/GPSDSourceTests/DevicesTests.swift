@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDSource

/// Receivers come and go while the conversation goes on.
@Suite struct DevicesTests {
    private func activated(_ path: String) -> String {
        #"{"class":"DEVICE","path":"\#(path)","activated":"2026-11-21T08:41:45.850Z"}"#
    }

    private func closed(_ path: String) -> String { #"{"class":"DEVICE","path":"\#(path)","activated":0}"# }

    @Test func withoutReceiversTheReasonSaysSo() throws {
        let talk = Talk()
        talk.hear(Line.version)
        talk.hear(Line.devices())
        let condition = try #require(talk.hear(Line.watch).condition)
        guard case .unavailable(let reason) = condition else { throw Failure("\(condition)") }
        #expect(reason.contains("127.0.0.1:2947 has no receiver"))
        #expect(reason.contains("/etc/default/gpsd"))
    }

    @Test func theReasonFollowsTheReceivers() {
        let talk = Talk.streaming()
        #expect(talk.hear(activated("/dev/a")).condition == .connected(reason: nil))
        #expect(talk.hear(activated("/dev/a")).isEmpty)
        #expect(talk.hear(activated("/dev/b")).isEmpty)
        #expect(talk.hear(closed("/dev/a")).isEmpty)
        #expect(talk.hear(closed("/dev/b")).condition?.reason?.contains("no receiver") == true)
        #expect(talk.hear(closed("/dev/b")).isEmpty)
        #expect(talk.hear(Line.devices("/dev/a")).condition == .connected(reason: nil))
        #expect(talk.failureAtDeadline == .silent(seconds: 20, devices: ["/dev/a"]))
    }

    @Test func aWantedReceiverThatIsMissingIsNamed() throws {
        let talk = Talk(device: "/dev/wanted")
        talk.hear(Line.version)
        talk.hear(Line.devices("/dev/a", "/dev/b"))
        let reason = try #require(talk.hear(Line.watch).condition?.reason)
        #expect(reason.contains("does not have /dev/wanted (it has: /dev/a, /dev/b)"))
        #expect(reason.contains("`device`"))
        #expect(talk.hear(activated("/dev/wanted")).condition == .connected(reason: nil))
        #expect(talk.hear(closed("/dev/b")).isEmpty)
        #expect(talk.hear(closed("/dev/wanted")).condition?.reason?.contains("(it has: /dev/a)") == true)
        #expect(talk.hear(closed("/dev/a")).condition?.reason?.contains("(it has: none)") == true)
    }

    @Test(arguments: [0, 1, 4, 5, 6, 100]) func anyNumberOfReceiversIsRead(_ count: Int) {
        let paths = (0..<count).map { "/dev/ttyUSB\($0)" }
        let list = paths.map { #"{"class":"DEVICE","path":"\#($0)"}"# }.joined(separator: ",")
        let talk = Talk()
        talk.hear(Line.version)
        #expect(talk.hear(#"{"class":"DEVICES","devices":[\#(list)]}"#).isEmpty)
        #expect((talk.hear(Line.watch).condition?.reason == nil) == (count > 0))
        #expect(talk.failureAtDeadline == .silent(seconds: 20, devices: paths))
    }

    @Test func whatADeviceCallsItselfDoesNotSteerATerminal() throws {
        let talk = Talk.streaming(devices: Line.device, device: "/dev/wanted")
        let reason = try #require(talk.hear(Line.devices(#"/dev/\u001b[2J\n"#)).condition?.reason)
        #expect(reason.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        #expect(reason.contains("/dev/?[2J?"))
    }

    @Test func aDefectiveListIsCountedAndChangesNothing() {
        let talk = Talk.streaming(devices: "/dev/a")
        for line in [#"{"class":"DEVICES","devices":7}"#, #"{"class":"DEVICES"}"#, #"{"class":"DEVICES",,}"#] {
            #expect(talk.hear(line) == [.count("malformed", example: Array(line.utf8))])
        }
        #expect(talk.failureAtDeadline == .silent(seconds: 20, devices: ["/dev/a"]))
    }

    @Test func countlessReceiversAreNotKept() throws {
        let talk = Talk.streaming(devices: "/dev/a")
        for number in 0..<10_000 { talk.hear(activated("/dev/\(number)")) }
        guard case .silent(_, let devices) = talk.failureAtDeadline else { throw Failure("not silent") }
        #expect(devices.count <= 100)
    }
}
