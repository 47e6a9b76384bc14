import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import LocationFormats

private enum ReceiverLogs {
    static let folder: URL = {
        let named = ProcessInfo.processInfo.environment["LOCATIOND_TEST_LOGS"] ?? "../shared/gps-logs"
        return URL(filePath: named, relativeTo: Repository.root)
    }()

    static var areThere: Bool { FileManager.default.fileExists(atPath: folder.appending(path: "README.md").path) }
}

/// What gpsd 3.22 itself writes for receivers that speak no NMEA 0183, compared with ours for the same views and fixes.
///
/// gpsd's own tests (`test/daemon`) have its sentences and its objects side by side. Their folder is the one that
/// `LOCATIOND_TEST_LOGS` names, else `../shared/gps-logs`; the repository holds none of them.
@Suite(.enabled(if: ReceiverLogs.areThere, "there are no logs; name their folder in LOCATIOND_TEST_LOGS"))
struct GpsdSentencesTests {
    /// TPV and SKY.
    private struct Report: Decodable {
        struct Satellite: Decodable {
            let PRN: Int
            var gnssid: Int?
            var svid: Int?
            var el: Double?
            var az: Double?
            var ss: Double?
            let used: Bool
        }

        let `class`: String
        var mode: Int?
        var hdop: Double?
        var vdop: Double?
        var pdop: Double?
        var satellites: [Satellite]?

        /// As the daemon has them.
        var sky: [LocationModel.Satellite] {
            (satellites ?? []).map { each in
                let systems = ["GPS", "SBAS", "Galileo", "BeiDou", "IMES", "QZSS", "GLONASS", "NavIC"]
                // Some drivers of gpsd give PRN alone.
                let byPRN = each.PRN > 100 ? "SBAS" : each.PRN > 64 ? "GLONASS" : each.PRN > 32 ? "SBAS" : "GPS"
                var satellite = LocationModel.Satellite(
                    gnss: each.svid.map { $0 > 0 } == true ? systems[each.gnssid ?? 0] : byPRN,
                    id: each.svid.flatMap { $0 > 0 ? $0 : nil } ?? each.PRN, used: each.used)
                (satellite.elevation, satellite.azimuth, satellite.signal) = (each.el, each.az, each.ss)
                return satellite
            }
        }
    }

    private struct Seen: Hashable {
        let number: Int
        let elevation, azimuth, signal: Int?

        func isLike(_ other: Seen) -> Bool {
            func near(_ one: Int?, _ other: Int?) -> Bool {
                // gpsd writes 0 or -1 where nothing is known, and rounds halves to even.
                abs(max(0, one ?? 0) - max(0, other ?? 0)) <= 1
            }
            return number == other.number && near(elevation, other.elevation) && near(azimuth, other.azimuth)
                && near(signal, other.signal)
        }
    }

    /// The numbers as gpsd has them, which has no other talker than GP.
    private static func prn(_ number: Int, _ talker: Substring) -> Int {
        let offset = ["GA": 300, "GB": 400, "GQ": 192, "GI": 500][talker] ?? 0
        return number + offset
    }

    private static func fields(_ sentence: Substring) -> [Substring] {
        let halves = sentence.dropFirst().split(separator: "*", omittingEmptySubsequences: false)
        #expect(UInt8(halves[1], radix: 16) == halves[0].utf8.reduce(0, ^), "\(sentence)")
        return halves[0].split(separator: ",", omittingEmptySubsequences: false)
    }

    private static func seen(in sentences: [Substring]) -> [Seen] {
        sentences.flatMap { sentence in
            let fields = fields(sentence)
            return stride(from: 4, to: fields.count, by: 4).compactMap { index in
                Int(fields[index]).map { number in
                    Seen(
                        // Some drivers leave SBAS' numbers as they are.
                        number: (120...151).contains(number) ? number - 87 : prn(number, fields[0].prefix(2)),
                        elevation: Int(fields[index + 1]), azimuth: Int(fields[index + 2]),
                        signal: Int(fields[index + 3]))
                }
            }
        }
    }

    /// Lines of a log's expected output, for receivers whose sentences are not their own.
    private static func outputs() throws -> [(name: String, lines: [Substring])] {
        try FileManager.default.contentsOfDirectory(atPath: ReceiverLogs.folder.path).sorted().filter {
            $0.hasSuffix(".chk")
        }
        .compactMap { name in
            let log = try Data(contentsOf: ReceiverLogs.folder.appending(path: String(name.dropLast(4))))
            guard ["GSV,", "GSA,"].allSatisfy({ log.range(of: Data($0.utf8)) == nil }) else { return nil }
            let text = String(decoding: try Data(contentsOf: ReceiverLogs.folder.appending(path: name)), as: UTF8.self)
            return (name, text.split(whereSeparator: \.isNewline))
        }
    }

    private static func report(_ line: Substring) -> Report? {
        try? JSONDecoder().decode(Report.self, from: Data(line.utf8))
    }

    @Test func viewsAreThoseOfGpsd() throws {
        var views = 0
        for (name, lines) in try Self.outputs() {
            var theirs: [Substring] = []
            for line in lines {
                if line.hasPrefix("$GPGSV,") {
                    if line.split(separator: ",")[2] == "1" { theirs = [] }
                    theirs.append(line)
                } else if let sky = Self.report(line), sky.class == "SKY", sky.satellites != nil {
                    var format = NMEASentences()
                    let ours = format.record(for: sky.sky).split(separator: "\r\n")
                    let (expected, written) = (Self.seen(in: theirs), Self.seen(in: ours))
                    theirs = []
                    // One driver's object follows a view later.
                    let isSameView = Set(expected.map(\.number)).isSubset(of: written.map(\.number))
                    guard !expected.isEmpty, isSameView else { continue }
                    views += 1
                    // gpsd leaves out those whose place it does not know, and one driver those without a signal.
                    let missing = expected.filter { one in !written.contains { $0.isLike(one) } }
                    let more = written.filter { one in !expected.contains { $0.number == one.number } }
                    #expect(missing.isEmpty, "\(name): \(missing) of \(expected), not \(written)")
                    let isExplained = more.allSatisfy {
                        $0.signal == nil || ($0.elevation ?? 0) == 0 && ($0.azimuth ?? 0) == 0
                    }
                    #expect(isExplained, "\(name): \(more)")
                }
            }
        }
        #expect(views > 60)
    }

    @Test func usedSatellitesAndDilutionsAreThoseOfGpsd() throws {
        var (fixes, used) = (0, 0)
        for (name, lines) in try Self.outputs() {
            var sky = Report(class: "SKY")
            for (index, line) in lines.enumerated() {
                if let report = Self.report(line), report.class == "SKY" { sky = report }
                guard line.hasPrefix("$GPGSA,") else { continue }
                let theirs = Self.fields(line)
                guard theirs[2] != "1" else {
                    let ours = NMEASentences.noFix.split(separator: "\r\n").map(Self.fields).last
                    #expect(ours?[1...2] == theirs[1...2] && ours?.count == 18, "\(name)")
                    continue
                }
                // The object that follows has its dilutions.
                let next = lines[index...].lazy.compactMap(Self.report).first { $0.class == "TPV" }
                var location = try Sample.full()
                location.mode = next?.mode == 2 ? .twoDimensional : .threeDimensional
                (location.pdop, location.hdop, location.vdop) = (
                    Double(theirs[15]), Double(theirs[16]), Double(theirs[17])
                )
                var format = NMEASentences()
                _ = format.record(for: location)
                _ = format.record(for: sky.sky)
                let ours = format.record(for: location).split(separator: "\r\n").filter {
                    $0.dropFirst(3).hasPrefix("GSA")
                }
                .map(Self.fields)
                #expect(ours.allSatisfy { $0[1...2] == theirs[1...2] }, "\(name): \(ours) \(theirs)")
                #expect(
                    ours.allSatisfy { $0[15...17].map { Double($0) } == theirs[15...17].map { Double($0) } },
                    "\(name): \(ours) \(theirs)")
                fixes += 1
                let talkers = ["3": "GA", "4": "GB", "5": "GQ", "6": "GI"]
                let numbers = ours.flatMap { fields in
                    fields[3...14].compactMap { Int($0) }.map {
                        Self.prn($0, fields.count > 18 ? talkers[String(fields[18])].map { $0[...] } ?? "GP" : "GP")
                    }
                }
                // gpsd's GSA has twelve at most, and the view may be that of before.
                let expected = theirs[3...14].compactMap { Int($0) }
                if !expected.isEmpty, Set(expected) == Set(numbers) { used += 1 }
            }
        }
        #expect(fixes > 100 && used > 60, "\(used) of \(fixes)")
    }
}
