@_spi(Programs) package import LocationModel

/// The replies of gpsd's protocol apart from reports; each is one line that ends in CR LF.
package enum GPSDReply {
    /// libgps never recovers from a longer line.
    package static let longestLine = 20_000
    /// libgps holds four (MAXUSERDEVS), and loops for ever when it reads a fifth.
    package static let mostDevices = 4

    /// What a client is greeted with, and the answer to `?VERSION;`.
    package static let version = version(.own)

    static func version(_ version: GPSDVersion) -> [UInt8] {
        var text = LineText(class: "VERSION", capacity: 96)
        text.add("release", version.release)
        text.add("rev", version.release)
        text.add("proto_major", version.protocolMajor)
        text.add("proto_minor", version.protocolMinor)
        return text.line()
    }

    /// All devices, the active ones first if they are too many.
    package static func devices(_ devices: [GPSDDevice]) -> [UInt8] {
        let listed =
            devices.count <= mostDevices
            ? devices : devices.filter { $0.activated != nil } + devices.filter { $0.activated == nil }
        var text = LineText(class: "DEVICES", capacity: 256)
        text.beginList("devices")
        for device in listed.prefix(mostDevices) { text.addElement(line: Self.device(device)) }
        text.endList()
        return text.line()
    }

    /// One device. Its flag says that it is a receiver of satellites' signals.
    package static func device(_ device: GPSDDevice) -> [UInt8] {
        var text = LineText(class: "DEVICE", capacity: 256)
        text.add("path", device.path)
        text.add("driver", device.name)
        if let activated = device.activated?.gpsdText {
            text.add("activated", activated)
            text.add("flags", 1)
        }
        addLine(to: &text)
        return text.line()
    }

    /// A device has disappeared or stopped.
    package static func inactiveDevice(_ device: GPSDDevice) -> [UInt8] {
        var text = LineText(class: "DEVICE", capacity: 256)
        text.add("path", device.path)
        text.add("activated", 0)
        addLine(to: &text)
        return text.line()
    }

    /// Adds the serial line, of which nothing is known here. gpsd leaves it out where a receiver has none, but clients
    /// die without `bps` and `stopbits` (gpsd-py3, gpsd-client-async), so these are gpsd's values for a line that is
    /// not open: the mode of NMEA 0183, no speed, and its defaults.
    private static func addLine(to text: inout LineText) {
        text.add("native", 0)
        text.add("bps", 0)
        text.add("parity", "N")
        text.add("stopbits", 1)
        text.add("cycle", 1, places: 2)
    }

    /// The client's policy.
    package static func watch(_ policy: WatchPolicy) -> [UInt8] {
        var text = LineText(class: "WATCH", capacity: 192)
        text.add("enable", policy.enable)
        text.add("json", policy.json)
        text.add("nmea", policy.nmea)
        text.add("raw", policy.raw)
        text.add("scaled", policy.scaled)
        text.add("timing", policy.timing)
        text.add("split24", policy.split24)
        text.add("pps", policy.pps)
        text.add("device", policy.device)
        return text.line()
    }

    /// The latest reports. Views of the sky that would make the line too long are left out.
    ///
    /// - Parameter active: how many devices report.
    package static func poll(at time: UTCTime, active: Int, positions: [GPSDReport], skies: [GPSDReport]) -> [UInt8] {
        var text = LineText(class: "POLL", capacity: 256 + 512 * positions.count + 1024 * skies.count)
        text.add("time", time.gpsdText)
        text.add("active", active)
        text.beginList("tpv")
        for report in positions { text.addElement(line: report.line) }
        text.endList()
        text.beginList("gst")
        text.endList()
        text.beginList("sky")
        // A comma takes the place of one byte of its end; the list and the object still have to be closed.
        let rest = longestLine - 4
        for report in skies where text.count + report.line.count < rest { text.addElement(line: report.line) }
        text.endList()
        return text.line()
    }

    /// A refusal. The message is cut to what libgps holds.
    package static func error(_ message: String) -> [UInt8] {
        let shown = message.prefix(utf8Count: longestMessage)
        var text = LineText(class: "ERROR", capacity: 64 + shown.utf8.count)
        text.add("message", shown == message ? message : shown + "…")
        return text.line()
    }

    /// Bytes without the mark of an ending that is missing, of the 255 that libgps holds.
    private static let longestMessage = 250
}
