/// One satellite in the receiver's view.
public struct Satellite: Sendable, Hashable, Codable {
    /// The system it belongs to: `GPS`, `SBAS`, `Galileo`, `BeiDou`, `IMES`, `QZSS`, `GLONASS`, `NavIC`, or `unknown`.
    public var gnss: String
    /// Its number within that system, from 1.
    public var id: Int
    /// Degrees clockwise from true north, 0..<360.
    public var azimuth: Double?
    /// Degrees above the horizon, -90...90.
    public var elevation: Double?
    /// Signal strength (carrier to noise density), dB-Hz.
    public var signal: Double?
    /// True if it is used in the fix.
    public var used: Bool

    /// A satellite by its system and number.
    public init(gnss: String, id: Int, used: Bool) {
        self.gnss = gnss
        self.id = id
        self.used = used
    }
}

/// How many satellites a receiver sees, and how many of them it uses.
public struct SatelliteCounts: Sendable, Hashable {
    /// Those in its view.
    public private(set) var visible: Int
    /// Those of them that are used in the fix.
    public private(set) var used: Int

    /// Known counts.
    public init(visible: Int, used: Int) {
        self.visible = visible
        self.used = used
    }

    /// Counts a list.
    public init(_ satellites: [Satellite]) {
        self.init(visible: satellites.count, used: satellites.count { $0.used })
    }

    /// Counts one more.
    public mutating func count(isUsed: Bool) {
        visible += 1
        if isUsed { used += 1 }
    }
}
