import ArgumentParser
import HistoryInterface
import LocationKit
import LocationModel

/// `locctl trips`: lists the trips, or the stays between them.
struct TripsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trips",
        abstract: "Lists the trips of this machine, as locationd-history has recorded them.",
        discussion: "`locctl track --trip NUMBER` shows one. Times are UTC.")

    @OptionGroup var options: HistoryOptions
    @OptionGroup var file: TrackFileOption
    @OptionGroup var period: PeriodOptions

    @Flag(help: "List the stays between the trips instead.")
    var stays = false

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
        var table = Table(["TRIP", "BEGIN (UTC)", "END (UTC)", "DISTANCE", "DURATION", "MAXIMUM SPEED"])
        for trip in trips {
            table.add([
                "\(trip.number)", Text.time(trip.begin), trip.end.map(Text.time) ?? "lasts",
                trip.distance.map(Text.distance) ?? "-", trip.duration.map(Text.duration) ?? "-",
                trip.maximumSpeed.map { "\(Text.number($0 * 3.6, 0)) km/h" } ?? "-",
            ])
        }
        return table
    }

    private static func table(_ stays: [Stay]) -> Table {
        var table = Table(["ARRIVAL (UTC)", "DEPARTURE (UTC)", "DURATION", "POSITION", "RADIUS"])
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
