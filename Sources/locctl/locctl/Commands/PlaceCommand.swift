import ArgumentParser
import Dispatch
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization

/// `locctl place`: finds the name of a place, or the places of a name.
struct PlaceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "place",
        abstract: "Shows the place at the position of this machine or at another, or the places with a name.",
        discussion: """
            Without arguments the machine's position is used, if you may know it. The names come from \
            locationd-places. Southern and western coordinates are negative: `locctl place -33.86 151.21`.
            """)

    @OptionGroup var options: ConnectionOptions

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Degrees north, -90 to 90, and degrees east, -180 to 180.", valueName: "latitude longitude"))
    var position: [String] = []

    @Option(
        help: ArgumentHelp(
            "Find the places with this name, which may have more of the address after commas.", valueName: "text"))
    var find: String?

    @Option(help: ArgumentHelp("Find at most so many places, 1 to 100.", valueName: "n"))
    var limit = 10

    @Option(help: ArgumentHelp("The language of the answer, such as de or pt-BR.", valueName: "tag"))
    var locale: String?

    @Option(
        help: ArgumentHelp("Wait at most so long for a location, and for a network, 1 to 300.", valueName: "seconds"))
    var timeout: NumberArgument = 30.0

    @Option(help: ArgumentHelp("The places service's socket.", valueName: "path"), completion: .file())
    var placesSocket: String?

    func validate() throws {
        if find != nil, !position.isEmpty { throw ValidationError("--find accepts no position") }
        if find == nil, !position.isEmpty { _ = try PositionArgument.coordinate(position) }
        guard GeocodingRequest.timeoutRange.contains(timeout.value) else {
            throw ValidationError("--timeout is 1 to 300")
        }
        guard GeocodingRequest.limitRange.contains(limit) else { throw ValidationError("--limit is 1 to 100") }
    }

    func run() throws {
        let geocoder = ReverseGeocoder(socketPath: placesSocket, timeout: timeout.value)
        let result: Result<[Placemark], GeocodingError>
        if let find {
            result = blockingResult { geocoder.geocode(find, locale: locale, limit: limit, completion: $0) }
        } else {
            let coordinate = try position.isEmpty ? here() : PositionArgument.coordinate(position)
            result = blockingResult { geocoder.reverseGeocode(coordinate, locale: locale, completion: $0) }
        }
        if case .failure(.partialResult(let placemarks)) = result { try show(placemarks) }
        try show(result.get())
    }

    /// The position of this machine. A location a few minutes old is in the same town as a new one, and needs no
    /// receiver.
    private func here() throws -> Coordinate {
        let parameters = LocationRequest(maximumAge: 300, timeout: timeout.value)
        let reply = try options.connect(wait: timeout.value).call(
            LocationInterface.Method.getLocation, parameters, as: LocationReply.self)
        return reply.location.value.coordinate
    }

    private func show(_ placemarks: [Placemark]) throws {
        guard !options.json else { return try Output.writeJSON(PlacemarksReply(placemarks: placemarks)) }
        let lines = find == nil ? PlaceText.here(placemarks) : PlaceText.found(placemarks)
        for line in lines { Output.write(line) }
    }
}

/// Blocks the calling thread, the command's only one, until LocationKit delivers a result on another thread.
func blockingResult<Value: Sendable>(_ begin: (_ completion: @escaping @Sendable (Value) -> Void) -> Void) -> Value {
    let box = ResultBox<Value>()
    begin { box.store($0) }
    return box.wait()
}

private final class ResultBox<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isStored = DispatchSemaphore(value: 0)

    func store(_ new: Value) {
        value.withLock { $0 = new }
        isStored.signal()
    }

    func wait() -> Value {
        while true {
            isStored.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
