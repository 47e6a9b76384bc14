import Glibc
import LocationFormats
import LocationInterface
import LocationKit

/// Writes a watch's replies for a person, as JSON, or in another program's format.
struct UpdatePrinter {
    private let json: Bool
    private var format: (any LocationFormat)?
    private var isReduced = false

    init(json: Bool, format: LocationFormatName?, longestGap: Double) {
        self.json = json
        self.format = format?.makeFormat(longestGap: longestGap)
    }

    func open() {
        if let format { Output.writeText(format.opening) }
    }

    func close() {
        if let format { Output.writeText(format.closing) }
    }

    mutating func print(_ update: WatchReply) throws {
        if json { return try Output.writeJSON(update) }
        if format != nil {
            guard let location = update.location?.value, let text = format?.record(for: location) else { return }
            return Output.writeText(text)
        }
        if let status = update.status { note(status) }
        // What happens between fixes is for the person's eyes and not part of the data.
        if let status = update.status, status.source != .tracking || status.reason != nil {
            Output.write(Text.line(status), to: STDERR_FILENO)
        }
        if let dropped = update.dropped { Output.write("-- \(dropped) locations were lost", to: STDERR_FILENO) }
        if let location = update.location { Output.write(Text.line(location.value, isReduced: isReduced)) }
        if let heading = update.heading?.value { Output.write(line(heading)) }
        if let satellites = update.satellites { Output.write(line(satellites)) }
    }

    /// Who waits for locations learns why they are few.
    private mutating func note(_ status: ServiceStatus) {
        let wasReduced = isReduced
        isReduced = status.accuracy == .reduced
        guard isReduced, !wasReduced else { return }
        Output.write("-- reduced accuracy: \(Text.reduction)", to: STDERR_FILENO)
    }

    private func line(_ heading: Heading) -> String {
        let angles = [
            ("true", heading.trueHeading), ("magnetic", heading.magneticHeading), ("pitch", heading.pitch),
            ("roll", heading.roll),
        ]
        return "heading  "
            + angles.compactMap { name, angle in angle.map { "\(name) \(Text.number($0, 1))°" } }
            .joined(separator: "  ")
    }

    private func line(_ satellites: [Satellite]) -> String {
        let shown = satellites.map { satellite in
            let signal = satellite.signal.map { " \(Text.number($0, 0))" } ?? ""
            return "\(satellite.gnss) \(satellite.id)\(signal)\(satellite.used ? "*" : "")"
        }
        return "satellites  " + (shown.isEmpty ? "none in view" : shown.joined(separator: ", "))
    }
}
