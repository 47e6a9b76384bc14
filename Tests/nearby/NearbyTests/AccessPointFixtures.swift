import AccessPoints
import LocationModel
import Testing

/// A place some metres east of another.
func place(east: Double = 0, north: Double = 0) throws -> Coordinate {
    let origin = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
    return origin.coordinate(atDistance: north, bearing: 0).coordinate(atDistance: east, bearing: 90)
}

/// The address of a device's radio; each device has several.
func address(_ device: Int, radio: Int = 0) -> HardwareAddress {
    HardwareAddress(value: 0x00_1A_00_00_00_00 + UInt64(device) << 8 + UInt64(radio))
}

func received(_ device: Int, radio: Int = 0, signal: Double = -65, network: String? = "home") -> ReceivedAccessPoint {
    ReceivedAccessPoint(address: address(device, radio: radio), signal: signal, network: network)
}

func observation(_ accessPoints: [ReceivedAccessPoint], second: Double = 0) -> AccessPointObservation {
    AccessPointObservation(time: BootInstant(seconds: second), accessPoints: accessPoints)
}

func known(at coordinate: Coordinate, spread: Double = 15, count: Int = 20, lastDay: Int = 10, moves: Int = 0)
    -> KnownAccessPoint
{
    KnownAccessPoint(
        coordinate: coordinate, spread: spread, weight: 0.1, count: count, firstDay: 1, lastDay: lastDay, moves: moves)
}
