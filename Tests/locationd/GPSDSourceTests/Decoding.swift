import CGPS
import ProgramTestSupport

@testable import GPSDSource

/// What comes of lines on the way that all reports take: through the gate, then through libgps with one memory.
struct Decoding: ~Copyable {
    /// Whether a number beyond the range of a double is infinite: libgps of gpsd 3.25 leaves it out.
    static let hasInfinity = GPSD_API_MAJOR_VERSION < 14

    private let unpacker = Unpacker()

    /// - Returns: `nil` if the line is stopped on its way.
    func report(_ line: String) -> Report? {
        let bytes = Array(line.utf8)
        guard case .report(let kind, let facts) = MessageGate.passage(for: bytes) else { return nil }
        return unpacker.unpack(bytes, as: kind, facts: facts)
    }

    func position(_ line: String) throws -> PositionReport {
        guard case .position(let report) = report(line) else { throw Failure("no position report: \(line)") }
        return report
    }

    func sky(_ line: String) throws -> SkyReport {
        guard case .sky(let report) = report(line) else { throw Failure("no sky report: \(line)") }
        return report
    }

    func attitude(_ line: String) throws -> AttitudeReport {
        guard case .attitude(let report) = report(line) else { throw Failure("no attitude report: \(line)") }
        return report
    }
}
