@_spi(Programs) import LocationModel
import Testing

@testable import GPSDSource

/// gpsd says nothing when its receiver says nothing: only a clock can tell.
@Suite struct SilenceTests {
    @Test func silenceIsMeasuredFromTheLastWord() {
        let talk = Talk.streaming(devices: Line.device)
        #expect(talk.patience == 20)
        talk.hear(Line.tpv(#""mode":1"#), after: 15)
        #expect(talk.patience == 20)
        talk.hear(#"{"class":"PPS","device":"/dev/pps0"}"#, after: 19)
        #expect(talk.patience == 20)
        talk.hear(Line.devices(Line.device), after: 19.5)
        #expect(talk.patience == 20)
    }

    @Test func garbageIsNoWord() {
        let talk = Talk.streaming(devices: Line.device)
        talk.hear("garbage", after: 15)
        talk.hear(#"{"class":"TPV",,}"#, after: 4)
        talk.hear(#"{"class":"DEVICES",,}"#, after: 0.5)
        #expect(talk.patience == 0.5)
    }

    @Test func silenceNamesTheReceiversThereAre() {
        #expect(Talk.streaming().failureAtDeadline == .silent(seconds: 20, devices: []))
        #expect(
            Talk.streaming(devices: "/dev/a", "/dev/b").failureAtDeadline
                == .silent(seconds: 20, devices: ["/dev/a", "/dev/b"]))
    }
}
