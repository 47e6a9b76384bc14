import Foundation
import ProgramTestSupport
import Synchronization

/// A receiver without antenna: a pseudo terminal that says ten times a second where it is, in NMEA 0183.
///
/// It goes on saying so because gpsd forgets what came before it had opened the device.
final class Receiver: Sendable {
    /// The device to name to gpsd.
    let path: String
    private let place: Place

    /// Where the receiver is; `nil` after its end. Both threads have it.
    private final class Place: Sendable {
        let latitude: Mutex<Int?>

        init(latitude: Int) {
            self.latitude = Mutex(latitude)
        }
    }

    /// What it says of its accuracy each second besides the position.
    struct Quality: Sendable {
        /// Horizontal dilution, as the sentences have it; the others are a multiple of it.
        var dilution = 0.9
        /// Whether it uses differential corrections.
        var isCorrected = false
        /// Metres, in a sentence of SiRF's that gpsd takes the accuracy from; `nil` without it.
        var accuracy: Double?
    }

    /// - Parameters:
    ///   - latitude: whole degrees north; the longitude is always 13.5° east.
    ///   - quality: `nil` for a receiver that sends no dilutions of its own.
    init(latitude: Int, quality: Quality? = nil) throws {
        let place = Place(latitude: latitude)
        let terminal = try PseudoTerminal()
        self.place = place
        path = terminal.path
        Thread.detachNewThread { Self.speak(from: place, quality, into: terminal) }
    }

    deinit { place.latitude.withLock { $0 = nil } }

    func move(to latitude: Int) { place.latitude.withLock { $0 = latitude } }

    private static func speak(from place: Place, _ quality: Quality?, into terminal: PseudoTerminal) {
        // Near now, so that gpsd has no reason to doubt the date.
        var second = Date()
        while let latitude = place.latitude.withLock({ $0 }) {
            second += 1
            try? terminal.write(sentences(latitude, quality, at: second))
            poll(nil, 0, 100)
        }
    }

    /// One second's GGA and RMC, and what says more of the accuracy.
    private static func sentences(_ latitude: Int, _ quality: Quality?, at second: Date) -> String {
        let parts = Calendar(identifier: .gregorian).dateComponents(in: .gmt, from: second)
        func two(_ number: Int?) -> String { String(format: "%02d", (number ?? 0) % 100) }
        let time = two(parts.hour) + two(parts.minute) + two(parts.second) + ".00"
        let date = two(parts.day) + two(parts.month) + two(parts.year)
        let position = two(latitude) + "00.0000,N,01330.0000,E"
        let fix = quality ?? Quality()
        var sentences = [
            "GPGGA,\(time),\(position),\(fix.isCorrected ? 2 : 1),08,\(fix.dilution),34.2,M,39.5,M,,",
            "GPRMC,\(time),A,\(position),0.50,90.0,\(date),,",
        ]
        if let quality {
            let satellites = "01,02,03,04,05,06,07,08,,,,"
            sentences.append(
                "GPGSA,A,3,\(satellites),\(quality.dilution * 2),\(quality.dilution),\(quality.dilution * 1.5)")
            // gpsd 3.22 tells of the sky only with a list of satellites.
            sentences.append("GPGSV,2,1,08,01,60,000,40,02,20,040,41,03,30,080,42,04,45,120,43")
            sentences.append("GPGSV,2,2,08,05,25,160,40,06,35,200,41,07,50,240,42,08,15,300,43")
            if let accuracy = quality.accuracy {
                sentences.insert("PSRFEPE,\(time),A,\(quality.dilution),\(accuracy),5.0,0.1,", at: 0)
            }
        }
        return sentences.map { "$\($0)*\(String(format: "%02X", $0.utf8.reduce(0, ^)))\r\n" }.joined()
    }
}
