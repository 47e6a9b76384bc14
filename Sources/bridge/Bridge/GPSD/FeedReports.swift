import GPSDProtocol
import LocationFormats
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel

/// What was reported last to the programs of one user, and the next report that follows from it.
struct FeedReports {
    /// Whether reports are padded to the length that programs over TCP expect.
    private let isPadded: Bool
    /// The last location, while there is a fix.
    private var location: Location?
    /// The device of the last location.
    private var followed: String?
    private var position: GPSDReport?
    private var sky: GPSDReport?
    /// The locations and satellites as sentences of NMEA 0183.
    private var sentences = NMEASentences()

    init(isPadded: Bool) {
        self.isPadded = isPadded
    }

    var hasFix: Bool { location != nil }

    /// The last reports of the position and of the sky, for a program that polls as soon as it watches.
    var last: [GPSDReport] { [position, sky].compactMap(\.self) }

    /// Whether the user has reduced accuracy.
    var isReduced: Bool {
        get { sentences.isReduced }
        set {
            guard newValue != sentences.isReduced else { return }
            sentences = NMEASentences()
            sentences.isReduced = newValue
        }
    }

    mutating func record(_ location: Location, from device: String, withSentences: Bool) -> GPSDReport {
        (self.location, followed) = (location, device)
        let text = withSentences ? sentences.record(for: location) : ""
        let report = GPSDReport(location, sentences: text, isPadded: isPadded)
        position = report
        return report
    }

    mutating func record(_ satellites: [Satellite], of devices: [GPSDDevice], withSentences: Bool) -> GPSDReport {
        let view =
            location.map { SkyView(satellites, with: $0) } ?? SkyView(satellites, device: self.device(of: devices))
        let text = withSentences ? sentences.record(for: satellites) : ""
        let report = GPSDReport(view, sentences: text, isPadded: isPadded)
        sky = report
        return report
    }

    mutating func loseFix(of devices: [GPSDDevice]) -> GPSDReport {
        location = nil
        sentences.interrupt()
        let report = GPSDReport.noFix(device: device(of: devices))
        (position, sky) = (report, nil)
        return report
    }

    /// There is nothing to report for a while.
    mutating func interrupt() {
        forget()
        sentences.interrupt()
    }

    mutating func forget() { (location, followed, position, sky) = (nil, nil, nil, nil) }

    /// The device of a report without a location: that of the last location, or the only one.
    private func device(of devices: [GPSDDevice]) -> String? {
        followed ?? (devices.count == 1 ? devices.first?.path : nil)
    }
}
