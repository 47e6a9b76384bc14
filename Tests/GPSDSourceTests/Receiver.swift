import Foundation
import Synchronization
import TestSupport

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

    /// - Parameter latitude: whole degrees north; the longitude is always 13.5° east.
    init(latitude: Int) throws {
        let place = Place(latitude: latitude)
        let terminal = try PseudoTerminal()
        self.place = place
        path = terminal.path
        Thread.detachNewThread { Self.speak(from: place, into: terminal) }
    }

    deinit { place.latitude.withLock { $0 = nil } }

    func move(to latitude: Int) { place.latitude.withLock { $0 = latitude } }

    private static func speak(from place: Place, into terminal: PseudoTerminal) {
        // Near now, so that gpsd has no reason to doubt the date.
        var second = Date()
        while let latitude = place.latitude.withLock({ $0 }) {
            second += 1
            try? terminal.write(sentences(latitude, at: second))
            poll(nil, 0, 100)
        }
    }

    /// One second's GGA and RMC.
    private static func sentences(_ latitude: Int, at second: Date) -> String {
        let parts = Calendar(identifier: .gregorian).dateComponents(in: .gmt, from: second)
        func two(_ number: Int?) -> String { String(format: "%02d", (number ?? 0) % 100) }
        let time = two(parts.hour) + two(parts.minute) + two(parts.second) + ".00"
        let date = two(parts.day) + two(parts.month) + two(parts.year)
        let position = two(latitude) + "00.0000,N,01330.0000,E"
        return [
            "GPGGA,\(time),\(position),1,08,0.9,34.2,M,39.5,M,,", "GPRMC,\(time),A,\(position),0.50,90.0,\(date),,",
        ].map { "$\($0)*\(String(format: "%02X", $0.utf8.reduce(0, ^)))\r\n" }.joined()
    }
}
