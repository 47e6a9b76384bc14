import Foundation
import Glibc
import ProgramTestSupport

/// A real gpsd with a pseudo terminal as its receiver, and a client that reads its reports.
final class GPSDReader {
    /// What gpsd reports of a fix, TPV, or of the sky, SKY.
    struct TPV: Decodable {
        let `class`: String
        var hdop: Double?
        var vdop: Double?
        var pdop: Double?
        var satellites: [SkySatellite]?
        var mode: Int?
        var status: Int?
        var time: String?
        var lat: Double?
        var lon: Double?
        var altMSL: Double?
        var altHAE: Double?
        var geoidSep: Double?
        var speed: Double?
        var track: Double?
        var magvar: Double?
    }

    struct SkySatellite: Decodable, Hashable {
        var gnssid: Int?
        var svid: Int?
        var el: Double?
        var az: Double?
        var ss: Double?
        var used: Bool
    }

    private let receiver: PseudoTerminal
    private let gpsd: GPSD
    private var client: LoopbackSocket?
    private var unread: [UInt8] = []

    /// Starts gpsd; fails if there is none.
    init() throws {
        receiver = try PseudoTerminal()
        gpsd = try GPSD([receiver.path])
    }

    /// Feeds what `feed` gives, a second of fixes at a time, until gpsd reports one that `accept` takes.
    ///
    /// Feeding goes on because gpsd forgets what came before it had opened the device, and because it reports a
    /// second's fix when it has learned which sentence is the last one.
    func report(
        of kind: String = "TPV", within seconds: Double, feed: () -> String, accept: (TPV) -> Bool
    ) throws -> TPV {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(seconds)
        while clock.now < deadline {
            try receiver.write(feed())
            if client == nil {
                client = try LoopbackSocket.connected(to: gpsd.port)
                try client?.write("?WATCH={\"enable\":true,\"json\":true};\n")
            }
            for report in try reports(forMilliseconds: 100) where report.class == kind && accept(report) {
                return report
            }
        }
        throw Failure("gpsd did not report it within \(seconds) s")
    }

    /// The fixes that have arrived, after waiting for some so long at most.
    private func reports(forMilliseconds milliseconds: Int32) throws -> [TPV] {
        unread += try LoopbackSocket.bytes(from: client, forMilliseconds: milliseconds)
        let lines = unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        unread = Array(lines.last ?? [])
        return try lines.dropLast().filter { !$0.isEmpty }
            .map { try JSONDecoder().decode(TPV.self, from: Data($0)) }
    }
}
