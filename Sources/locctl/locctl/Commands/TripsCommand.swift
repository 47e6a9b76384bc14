import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// `locctl trips`: lists the trips, or the stays between them.
struct TripsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trips",
        abstract: "Lists the trips of this machine, as locationd-history has recorded them.",
        discussion: "`locctl track --trip NUMBER` shows one.")

    @OptionGroup var options: HistoryOptions
    @OptionGroup var file: TrackFileOption
    @OptionGroup var period: PeriodOptions

    @Flag(help: "List the stays between the trips instead.")
    var stays = false

    @Flag(help: "As with `locctl track`; the list has the trips and stays of simulated locations in any case.")
    var includeSimulated = false

    func run() throws {
        let parameters = TrackPeriod(from: period.from?.begin, to: period.to?.end)
        try options.connect(file: file.path) { connection in
            if stays {
                let reply = try connection.call(HistoryInterface.Method.getStays, parameters, as: StaysReply.self)
                try options.json ? Output.writeJSON(reply) : write(Self.table(reply.stays), of: "stay")
            } else {
                let reply = try connection.call(HistoryInterface.Method.getTrips, parameters, as: TripsReply.self)
                try options.json ? Output.writeJSON(reply) : write(Self.table(reply.trips), of: "trip")
            }
        }
    }

    private func write(_ table: Table, of what: String) {
        guard table.lines.count > 1 else { return Output.write("No \(what) is recorded there.") }
        for line in table.lines { Output.write(line) }
    }

    private static func table(_ trips: [Trip]) -> Table {
        var table = Table(["TRIP", "BEGIN", "END", "DISTANCE", "DURATION", "MAXIMUM SPEED"])
        for trip in trips {
            table.add([
                "\(trip.number)", Text.time(trip.begin), trip.end.map(Text.time) ?? "lasts",
                length(trip.distance, soFar: trip.distanceSoFar, Text.distance),
                length(trip.duration, soFar: trip.durationSoFar, Text.duration),
                trip.maximumSpeed.map { "\(Text.number($0 * 3.6, 0)) km/h" } ?? "-",
            ])
        }
        return table
    }

    /// Of a trip that lasts, what it has reached so far.
    private static func length(_ value: Double?, soFar: Double?, _ text: (Double) -> String) -> String {
        value.map(text) ?? soFar.map { "\(text($0)) so far" } ?? "-"
    }

    private static func table(_ stays: [Stay]) -> Table {
        var table = Table(["ARRIVAL", "DEPARTURE", "DURATION", "POSITION", "RADIUS"])
        for stay in stays {
            let duration = stay.departure.flatMap { end in stay.arrival.map { end.seconds(since: $0) } }
            let position = Coordinate(latitude: stay.latitude, longitude: stay.longitude)
            table.add([
                stay.arrival.map(Text.time) ?? "-", stay.departure.map(Text.time) ?? "lasts",
                duration.map(Text.duration) ?? "-", position.map(Text.coordinate) ?? "-", Text.distance(stay.accuracy),
            ])
        }
        return table
    }
}
