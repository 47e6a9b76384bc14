import ArgumentParser
import LocationInterface
import LocationKit
import LocationModel

/// What a place is called, or where one of that name is.
struct Place: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tells what a place is called: where this machine is, or another; or where a place of a name is.",
        discussion: """
            Without arguments the machine's position is asked for, if you may know it. The names come from \
            locationd-places. Southern and western coordinates are negative: `locctl place -33.86 151.21`.
            """)

    @OptionGroup var options: ConnectionOptions

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Degrees north, -90 to 90, and degrees east, -180 to 180.", valueName: "latitude longitude"))
    var position: [String] = []

    @Option(help: ArgumentHelp("Tell where this is: a name, with more after commas.", valueName: "text"))
    var find: String?

    @Option(help: "Find at most so many places, 1 to 100.")
    var limit = 10

    @Option(help: ArgumentHelp("In this language, such as de or pt-BR.", valueName: "tag"))
    var locale: String?

    @Option(help: "Wait at most so many seconds for a location, and for a network, 1 to 300.")
    var timeout = 30.0

    @Option(help: ArgumentHelp("The places service's socket.", valueName: "path"), completion: .file())
    var placesSocket: String?

    func validate() throws {
        if find != nil, !position.isEmpty { throw ValidationError("--find takes no position") }
        if find == nil, !position.isEmpty { _ = try PositionArgument.coordinate(position) }
        guard GeocodingRequest.timeoutRange.contains(timeout) else { throw ValidationError("--timeout is 1 to 300") }
        guard GeocodingRequest.limitRange.contains(limit) else { throw ValidationError("--limit is 1 to 100") }
    }

    func run() throws {
        let geocoder = ReverseGeocoder(socketPath: placesSocket, timeout: timeout)
        let result: Result<[Placemark], GeocodingError>
        if let find {
            result = Awaited.result { geocoder.geocode(find, locale: locale, limit: limit, completion: $0) }
        } else {
            let coordinate = try position.isEmpty ? here() : PositionArgument.coordinate(position)
            result = Awaited.result { geocoder.reverseGeocode(coordinate, locale: locale, completion: $0) }
        }
        if case .failure(.partialResult(let placemarks)) = result { try show(placemarks) }
        try show(result.get())
    }

    /// Where this machine is. A location of the last minutes names the same town as a new one, and starts no receiver.
    private func here() throws -> Coordinate {
        let parameters = LocationRequest(maximumAge: 300, timeout: timeout)
        let reply = try options.connect(wait: timeout).call(
            LocationInterface.Method.getLocation, parameters, as: LocationReply.self)
        return reply.location.value.coordinate
    }

    private func show(_ placemarks: [Placemark]) throws {
        guard !options.json else { return try Output.writeJSON(PlacemarksReply(placemarks: placemarks)) }
        let lines = find == nil ? PlaceText.here(placemarks) : PlaceText.found(placemarks)
        for line in lines { Output.write(line) }
    }
}
