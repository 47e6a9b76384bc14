import Testing

@testable import GPSDSource

@Suite struct ControlMessageTests {
    private func message(_ line: String, _ name: String) -> ControlMessage? {
        ControlMessage(Array(line.utf8), class: name)
    }

    @Test func gpsdsOwnLinesAreRead() {
        #expect(message(Line.version, "VERSION") == .version(release: "3.22"))
        #expect(message(Line.watch, "WATCH") == .watch)
        #expect(message(Line.devices("/dev/a", "/dev/b"), "DEVICES") == .devices(["/dev/a", "/dev/b"]))
        #expect(message(#"{"class":"ERROR","message":"no \"x\""}"#, "ERROR") == .error(#"no "x""#))
        #expect(
            message(#"{"class":"DEVICE","path":"/dev/a","activated":1.5,"driver":"u-blox"}"#, "DEVICE")
                == .device(path: "/dev/a", isActive: true))
    }

    @Test(arguments: [
        (#""2026-11-21T08:41:45.850Z""#, true), ("1785.25", true), ("0", false), ("0.0", false), ("null", true),
    ])
    func aDeviceIsActiveUnlessItsTimeIsZero(activated: String, isActive: Bool) {
        #expect(
            message(#"{"class":"DEVICE","path":"/dev/a","activated":\#(activated)}"#, "DEVICE")
                == .device(path: "/dev/a", isActive: isActive))
        #expect(message(#"{"class":"DEVICE","path":"/dev/a"}"#, "DEVICE") == .device(path: "/dev/a", isActive: true))
    }

    @Test func elementsThatAreNoDevicesAreLeftOut() {
        let list =
            #"[{"path":"/dev/a"},7,null,"x",[],{},{"path":7},{"path":null},{"path":{"path":"y"}},{"path":"/dev/b"}]"#
        #expect(message(#"{"class":"DEVICES","devices":\#(list)}"#, "DEVICES") == .devices(["/dev/a", "/dev/b"]))
        #expect(message(#"{"class":"DEVICES","devices":[]}"#, "DEVICES") == .devices([]))
    }

    @Test func aPathMayBeOfAnyLength() {
        let path = String(repeating: "é", count: 5000)
        #expect(message(Line.devices(path), "DEVICES") == .devices([path]))
    }

    @Test(arguments: [
        ("DEVICES", "{}"), ("DEVICES", #"{"devices":{}}"#), ("DEVICES", #"{"devices":"x"}"#),
        ("DEVICES", #"{"devices":[}"#),
        ("DEVICE", "{}"), ("DEVICE", #"{"path":7}"#), ("DEVICE", #"{"path":"a""#), ("VERSION", "x"), ("VERSION", "[]"),
        ("VERSION", "7"), ("WATCH", ""), ("WATCH", #"{"enable":true"#), ("TPV", "{}"), ("", "{}"),
    ])
    func whatLacksWhatItsClassNeedsIsNothing(name: String, line: String) {
        #expect(message(line, name) == nil)
    }

    @Test func fieldsOfTheWrongTypeAreAbsentAlone() {
        #expect(message(#"{"class":"VERSION","release":3.22}"#, "VERSION") == .version(release: nil))
        #expect(message(#"{"class":"VERSION"}"#, "VERSION") == .version(release: nil))
        #expect(message(#"{"class":"WATCH","enable":"yes","device":[1]}"#, "WATCH") == .watch)
        #expect(message(#"{"class":"ERROR","message":[]}"#, "ERROR") == .error("no message"))
    }

    @Test func deepNestingIsRefused() {
        let depth = 50_000
        let line = #"{"class":"DEVICES","devices":"# + String(repeating: "[", count: depth)
        #expect(message(line, "DEVICES") == nil)
        #expect(message(line + String(repeating: "]", count: depth) + "}", "DEVICES") == nil)
    }
}
