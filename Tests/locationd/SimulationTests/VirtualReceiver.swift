@_spi(Programs) import LocationModel

/// A receiver at gpsd, and what it makes gpsd say.
final class VirtualReceiver {
    /// What must come out of a line, as far as that is known.
    enum Meaning: Equatable {
        case fix(device: String, latitude: Double, longitude: Double, mode: FixMode)
        case noFix(device: String)
        /// Neither.
        case nothing
        /// A damaged line: anything but a crash.
        case unknown
    }

    typealias Line = (bytes: [UInt8], meaning: Meaning)

    let device: String
    /// Seconds from one epoch to the next.
    var period: Double
    var mode = 3
    var isSilent = false
    var isStuck = false
    /// Seconds its clock is ahead.
    var clockOffset = 0.0
    var tellsTime = true
    /// The next epoch has the time of the one before: 23:59:60 is 00:00:00 once more.
    var isLeaping = false
    private var latitude: Double
    private var longitude: Double
    private var accuracy = 4.0
    private var time: UTCTime

    init(device: String, period: Double, at time: UTCTime, _ random: inout SeededRandom) {
        self.device = device
        self.period = period
        self.time = time
        latitude = 48 + random.number(in: -0.2...0.2)
        longitude = 11 + random.number(in: -0.2...0.2)
    }

    /// The lines of one epoch.
    func epoch(at now: UTCTime, _ random: inout SeededRandom) -> [Line] {
        if !isLeaping {
            time =
                UTCTime(
                    seconds: now.seconds, nanoseconds: Int64(now.nanoseconds) + Int64(clockOffset * 1e9)
                ).roundedToMilliseconds
        }
        isLeaping = false
        if !isStuck { move(&random) }
        var lines: [Line] = []
        if random.chance(0.3) { lines.append((Array(sky(&random).utf8), .nothing)) }
        if random.chance(0.1) { lines.append((Array(attitude(&random).utf8), .nothing)) }
        for _ in 0..<(random.chance(0.1) ? 2 : 1) { lines.append(position()) }
        if mode >= 2, random.chance(0.03) { lines.append(outlier(&random)) }
        if random.chance(0.002) { latitude = random.number(in: -80...80) }
        return lines
    }

    private func move(_ random: inout SeededRandom) {
        let step = random.chance(0.05) ? 0.01 : 0.0001
        latitude += random.number(in: -step...step)
        longitude += random.number(in: -step...step)
        accuracy = max(1, min(80, accuracy + random.number(in: -2...2)))
    }

    /// A fix that is not true: null island, a place far away, or an old time.
    private func outlier(_ random: inout SeededRandom) -> Line {
        let truth = (latitude, longitude, time)
        defer { (latitude, longitude, time) = truth }
        switch random.integer(in: 0...2) {
        case 0: (latitude, longitude) = (0, 0)
        case 1: latitude = -latitude + random.number(in: -1...1)
        default: time = UTCTime(seconds: time.seconds - 60, nanoseconds: Int64(time.nanoseconds))
        }
        return position(speed: latitude == 0 ? 0 : 1.5)
    }

    private func position(speed: Double = 1.5) -> Line {
        let stamp = tellsTime ? #","time":"\#(time)""# : ""
        guard mode >= 2 else {
            return (
                Array(#"{"class":"TPV","device":"\#(device)","mode":\#(mode)\#(stamp)}"#.utf8), .noFix(device: device)
            )
        }
        let text =
            #"{"class":"TPV","device":"\#(device)","mode":\#(mode)\#(stamp),"lat":\#(latitude),"lon":\#(longitude),"#
            + #""altMSL":512.25,"eph":\#(accuracy),"speed":\#(speed),"track":90.0}"#
        let meaning = Meaning.fix(
            device: device, latitude: latitude, longitude: longitude,
            mode: mode == 3 ? .threeDimensional : .twoDimensional)
        return (Array(text.utf8), meaning)
    }

    private func sky(_ random: inout SeededRandom) -> String {
        let satellites = (1...random.integer(in: 1...6)).map {
            #"{"PRN":\#($0),"el":40.0,"az":52.0,"ss":34.0,"used":true}"#
        }
        return #"{"class":"SKY","device":"\#(device)","hdop":1.5,"satellites":[\#(satellites.joined(separator: ","))]}"#
    }

    private func attitude(_ random: inout SeededRandom) -> String {
        #"{"class":"ATT","device":"\#(device)","heading":\#(random.number(in: 0...359))}"#
    }
}
