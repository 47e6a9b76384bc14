/// A direct problem and its solution, computed with the Python package `geographiclib` 2.1, `Geodesic.WGS84.Direct`,
/// degrees rounded to eleven decimals.
struct DestinationVector: Sendable {
    /// Latitude and longitude, degrees.
    let from: (latitude: Double, longitude: Double)
    /// Degrees.
    let bearing: Double
    /// Metres.
    let distance: Double
    let to: (latitude: Double, longitude: Double)
}

let destinationVectors: [DestinationVector] = [
    .init(from: (52.52, 13.405), bearing: 90, distance: 10, to: (52.51999999991, 13.40514732007)),
    .init(from: (52.52, 13.405), bearing: 225, distance: 12345.678, to: (52.44147961688, 13.2766225372)),
    .init(from: (0, 0), bearing: 90, distance: 1000, to: (0, 0.00898315284)),
    .init(from: (0, 0), bearing: 90, distance: 40075016.68557800353, to: (0, 0)),
    .init(from: (0, 0), bearing: 0, distance: 20003931.45862330124, to: (0.00000000002, 180)),
    .init(from: (60, 179.9), bearing: 90, distance: 50000, to: (59.99696101414, -179.20399746098)),
    .init(from: (-17, -179.5), bearing: 270, distance: 100000, to: (-16.99783502692, 179.56091511071)),
    .init(from: (90, 0), bearing: 180, distance: 1000000, to: (81.04623281595, 0)),
    .init(from: (90, 30), bearing: 90, distance: 1000000, to: (81.04623281595, 120)),
    .init(from: (-90, 50), bearing: 10, distance: 500000, to: (-85.52339101263, 60)),
    .init(from: (85, 15), bearing: 0, distance: 2000000, to: (77.09161884636, -165)),
    .init(from: (-33.8688, 151.2093), bearing: -30, distance: 16000000, to: (60.86537122524, 8.39878632062)),
    .init(from: (40, -70), bearing: 405, distance: 5000000, to: (56.93447524372, -4.03761276717)),
    .init(from: (40, -70), bearing: 45, distance: -5000000, to: (3.99672728933, -100.02215906361)),
    .init(from: (10, 20), bearing: 123.456, distance: 0, to: (10, 20)),
    .init(from: (-10, 20), bearing: 123.456, distance: 19950000, to: (9.84415737555, -160.7334621905)),
    .init(from: (0, 0), bearing: 180, distance: 10001965.72900000028, to: (-89.9999999972, 0)),
    .init(from: (51, 0), bearing: 360, distance: 1, to: (51.0000089889, 0)),
]
