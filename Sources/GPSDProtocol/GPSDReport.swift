import LocationFormats
package import LocationModel

/// The forms in which reports are sent.
package struct ReportForms: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Objects of gpsd's protocol.
    package static let json = ReportForms(rawValue: 1)
    /// NMEA 0183.
    package static let nmea = ReportForms(rawValue: 2)
}

/// A report that is encoded once, for every session that is to receive it: ``GPSDSession/applyReport(_:)`` returns these
/// bytes without copying them.
///
/// A class, because every session holds its latest reports, and to hold this is one count.
package final class GPSDReport: Sendable {
    enum Kind {
        case position
        case sky
    }

    /// What identifies the device; `nil` for the report of no device, which every session receives.
    package let device: String?
    let kind: Kind
    /// The JSON line; POLL needs it, too.
    let line: [UInt8]
    private let sentences: [UInt8]
    private let both: [UInt8]

    private init(_ kind: Kind, device: String?, line: [UInt8], sentences: [UInt8] = []) {
        self.kind = kind
        self.device = device
        self.line = line
        self.sentences = sentences
        // gpsd sends a sentence before what it makes of it.
        both = sentences.isEmpty ? line : sentences + line
    }

    /// A fix.
    /// - Parameter includesSentences: false saves the NMEA sentences, where no session's ``GPSDSession/forms`` has them.
    package convenience init(_ location: Location, includesSentences: Bool = true) {
        let device = location.source.gpsdDevice
        let sentences = includesSentences ? NMEASentences().record(for: location) : ""
        self.init(
            .position, device: device, line: location.tpvLine(device: device), sentences: Array(sentences.utf8))
    }

    /// A view of the sky.
    package convenience init(_ sky: SkyView) {
        self.init(.sky, device: sky.device, line: sky.skyLine())
    }

    /// The device has no fix: mode 1.
    package static func noFix(device: String?) -> GPSDReport {
        let device = device.map(GPSDDevice.wirePath)
        return GPSDReport(
            .position, device: device, line: tpvLine(device: device, mode: 1),
            sentences: Array(NMEASentences.noFix.utf8))
    }

    /// Nothing is known, not even whether there is a fix: mode 0.
    static let unknown = GPSDReport(
        .position, device: nil, line: tpvLine(device: nil, mode: 0), sentences: Array(NMEASentences.noFix.utf8))

    /// What a client of these forms is sent: the empty array if nothing.
    package func bytes(in forms: ReportForms) -> [UInt8] {
        switch forms {
        case .json: line
        case .nmea: sentences
        case [.json, .nmea]: both
        default: []
        }
    }

    private static func tpvLine(device: String?, mode: Int) -> [UInt8] {
        var text = LineText(class: "TPV", capacity: 96)
        text.add("device", device)
        text.add("mode", mode)
        return text.line()
    }
}
