import LocationFormats
@_spi(Programs) package import LocationModel

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

/// A report that is encoded once, for every session that is to receive it: ``GPSDSession/applyReport(_:)`` returns
/// these bytes without copying them.
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
    private let plain: Forms
    /// The same with a length that says nothing; see ``Padding``.
    private let padded: Forms

    private struct Forms {
        let sentences: [UInt8]
        let line: [UInt8]
        let both: [UInt8]

        init(sentences: [UInt8], line: [UInt8]) {
            (self.sentences, self.line) = (sentences, line)
            // gpsd sends a sentence before what it makes of it.
            both = sentences.isEmpty ? line : sentences + line
        }
    }

    private init(_ kind: Kind, device: String?, line: [UInt8], sentences: [UInt8] = [], isPadded: Bool) {
        self.kind = kind
        self.device = device
        self.line = line
        plain = Forms(sentences: sentences, line: line)
        padded =
            isPadded
            ? Forms(
                sentences: Padding.sentences(sentences),
                line: kind == .position ? Padding.position(line) : Padding.sky(line))
            : plain
    }

    /// A fix.
    /// - Parameters:
    ///   - sentences: of NMEA 0183, those of the location alone by default; empty where no session's
    ///     ``GPSDSession/forms`` has them.
    ///   - isPadded: false saves the padding, where no session pads.
    package convenience init(_ location: Location, sentences: String? = nil, isPadded: Bool = true) {
        let device = location.source.gpsdDevice
        let text = sentences ?? NMEASentences.record(for: location)
        self.init(
            .position, device: device, line: location.tpvLine(device: device), sentences: Array(text.utf8),
            isPadded: isPadded)
    }

    /// A view of the sky.
    /// - Parameters:
    ///   - sentences: of NMEA 0183; empty where no session's ``GPSDSession/forms`` has them.
    ///   - isPadded: false saves the padding, where no session pads.
    package convenience init(_ sky: SkyView, sentences: String = "", isPadded: Bool = true) {
        self.init(
            .sky, device: sky.device, line: sky.skyLine(), sentences: Array(sentences.utf8), isPadded: isPadded)
    }

    /// The device has no fix: mode 1.
    package static func noFix(device: String?) -> GPSDReport {
        let device = device.map(GPSDDevice.wirePath)
        return GPSDReport(
            .position, device: device, line: tpvLine(device: device, mode: 1),
            sentences: Array(NMEASentences.noFix.utf8), isPadded: true)
    }

    /// What the device has is not known yet: mode 0. It is for POLL alone.
    static func unknownPosition(device: String) -> GPSDReport {
        GPSDReport(.position, device: device, line: tpvLine(device: device, mode: 0), isPadded: false)
    }

    /// Nothing is known, not even whether there is a fix: mode 0.
    static let unknown = GPSDReport(
        .position, device: nil, line: tpvLine(device: nil, mode: 0), sentences: Array(NMEASentences.noFix.utf8),
        isPadded: true)

    /// What a client of these forms is sent: the empty array if nothing.
    /// - Parameter isPadded: its length says nothing about the report, if that was asked for when it was made.
    package func bytes(in forms: ReportForms, isPadded: Bool = false) -> [UInt8] {
        let bytes = isPadded ? padded : plain
        return switch forms {
        case .json: bytes.line
        case .nmea: bytes.sentences
        case [.json, .nmea]: bytes.both
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
