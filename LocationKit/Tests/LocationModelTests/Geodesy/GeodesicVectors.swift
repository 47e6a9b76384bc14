/// An inverse problem and its solution.
///
/// All numbers are computed with the Python package `geographiclib` 2.1, `Geodesic.WGS84.Inverse`, by the author of the
/// method. Where it says that a second geodesic is as short (its manual, "the shortest geodesic is not unique"), both
/// bearings stand here. Metres are rounded to seven decimals, degrees to nine.
struct GeodesicVector: Sendable {
    /// Latitude and longitude, degrees.
    let from: (latitude: Double, longitude: Double)
    let to: (latitude: Double, longitude: Double)
    /// Metres.
    let distance: Double
    /// Degrees, 0..<360; none if there is no direction, two if two are right.
    let bearings: [Double]
}

let geodesicVectors: [GeodesicVector] = [
    // Metres to kilometres, as between fixes.
    .init(from: (52.52, 13.405), to: (52.52001, 13.405), distance: 1.1127721, bearings: [0]),
    .init(from: (52.52, 13.405), to: (52.52, 13.40501), distance: 0.6787941, bearings: [89.999996032]),
    .init(from: (52.52, 13.405), to: (52.5200001, 13.4050002), distance: 0.0175537, bearings: [50.659614233]),
    .init(from: (-33.8688, 151.2093), to: (-33.8699, 151.2081), distance: 164.9692664, bearings: [222.301919657]),
    .init(from: (0, 0), to: (0.001, 0.001), distance: 156.9034719, bearings: [45.192423212]),
    .init(from: (0.00002, -0.00001), to: (-0.00001, 0.00002), distance: 4.7071042, bearings: [134.807576784]),
    .init(from: (64.1466, -21.9426), to: (64.15, -21.93), distance: 720.9470535, bearings: [58.276252483]),
    .init(from: (-77.846, 166.676), to: (-77.85, 166.7), distance: 719.5570553, bearings: [128.373596371]),
    .init(from: (45, 7), to: (45.0001, 6.9999), distance: 13.626109, bearings: [324.644756441]),
    .init(from: (89.9999, 10), to: (89.9999, -170), distance: 22.3387959, bearings: [0]),
    // Across countries and oceans.
    .init(from: (48.8566, 2.3522), to: (52.52, 13.405), distance: 879699.316129, bearings: [58.240069285]),
    .init(from: (40.6, -73.8), to: (51.6, -0.5), distance: 5551759.4003187, bearings: [51.198882846]),
    .init(from: (-33.9249, 18.4241), to: (-34.6037, -58.3816), distance: 6884647.8706849, bearings: [245.422833412]),
    .init(from: (35.6762, 139.6503), to: (37.7749, -122.4194), distance: 8293443.1762641, bearings: [54.350623269]),
    .init(from: (-41.2865, 174.7762), to: (40.4168, -3.7038), distance: 19854610.375957, bearings: [226.503686142]),
    .init(from: (64.1466, -21.9426), to: (-54.8019, -68.303), distance: 13777668.236701, bearings: [210.35897736]),
    .init(from: (1.3521, 103.8198), to: (-0.1807, -78.4678), distance: 19743445.6807179, bearings: [56.875987895]),
    .init(from: (71, -8), to: (-71, 100), distance: 17542739.8943591, bearings: [124.408005275]),
    .init(from: (10, 20), to: (20, 30), distance: 1541856.4339503, bearings: [42.992954888]),
    .init(from: (-10, -120), to: (30, 60), distance: 17789672.8939194, bearings: [0]),
    // Across the antimeridian, and on it.
    .init(from: (52, 179.9), to: (52, -179.9), distance: 13735.5988856, bearings: [89.921198894]),
    .init(from: (-17, -179.99), to: (-18, 179.99), distance: 110695.1548114, bearings: [181.096449999]),
    .init(from: (0, 179.5), to: (0, -179.5), distance: 111319.4907933, bearings: [90]),
    .init(from: (65, 180), to: (66, -180), distance: 111500.0628154, bearings: [0]),
    .init(from: (65, 180), to: (65, 179.999), distance: 47.1755311, bearings: [270.000453154]),
    .init(from: (-16.5, -180), to: (-16.5, 179.9999), distance: 10.6764155, bearings: [269.999985799]),
    .init(from: (51.88, -176.65), to: (53.02, 158.65), distance: 1675706.6758497, bearings: [284.101318554]),
    // From a pole, to a pole, past a pole.
    .init(from: (90, 0), to: (0, 0), distance: 10001965.7293127, bearings: [180]),
    .init(from: (90, 30), to: (45, -60), distance: 5017021.351335, bearings: [270]),
    .init(from: (90, -45), to: (89.9, 135), distance: 11169.3978413, bearings: [0]),
    .init(from: (-90, 0), to: (-45, 100), distance: 5017021.351335, bearings: [100]),
    .init(from: (-90, 170), to: (-89, -170), distance: 111693.8649142, bearings: [20]),
    .init(from: (45, 20), to: (90, -100), distance: 5017021.351335, bearings: [0]),
    .init(from: (-45, 20), to: (-90, 77), distance: 5017021.351335, bearings: [180]),
    .init(from: (90, 0), to: (-90, 0), distance: 20003931.4586254, bearings: [180]),
    .init(from: (90, 10), to: (-90, 60), distance: 20003931.4586254, bearings: [130]),
    .init(from: (-90, -20), to: (90, 30), distance: 20003931.4586254, bearings: [50]),
    .init(from: (80, 0), to: (80, 180), distance: 2233651.7147517, bearings: [0]),
    .init(from: (-89.5, -30), to: (-88, 150), distance: 279234.017579, bearings: [180]),
    .init(from: (60, 15), to: (85, -165), distance: 3906348.4984687, bearings: [0]),
    // Along a meridian.
    .init(from: (-30, 20), to: (50, 20), distance: 8860960.4396245, bearings: [0]),
    .init(from: (0, -75), to: (90, -75), distance: 10001965.7293127, bearings: [0]),
    .init(from: (10, 5), to: (10.5, 5), distance: 55304.7247149, bearings: [0]),
    .init(from: (89, 0), to: (-89, 0), distance: 19780543.728797, bearings: [180]),
    .init(from: (0, 180), to: (1, -180), distance: 110574.3885578, bearings: [0]),
    // Along the equator.
    .init(from: (0, 0), to: (0, 1), distance: 111319.4907933, bearings: [90]),
    .init(from: (0, -90), to: (0, 90), distance: 20003931.4586254, bearings: [0, 180]),
    .init(from: (0, 10), to: (0, -100), distance: 12245143.9872601, bearings: [270]),
    .init(from: (0, 0), to: (0, 179), distance: 19926188.851996, bearings: [90]),
    .init(from: (0, -30), to: (0, 149.3), distance: 19959584.699234, bearings: [90]),
    .init(from: (0, 0), to: (0, 179.39), distance: 19969603.4534053, bearings: [90]),
    .init(from: (0, 0), to: (0, 179.4), distance: 19970715.516596, bearings: [83.826290472, 96.173709528]),
    // Almost opposite, where simple methods do not converge.
    .init(from: (0, 0), to: (0.5, 179.5), distance: 19936288.5789653, bearings: [25.671872868]),
    .init(from: (0, 0), to: (0.5, 179.7), distance: 19944127.4207505, bearings: [15.556882793]),
    .init(from: (0, 0), to: (0, 179.5), distance: 19980861.908891, bearings: [55.96649514, 124.03350486]),
    .init(from: (0, 0), to: (0, 179.9), distance: 20003008.4215094, bearings: [9.545672695, 170.454327305]),
    .init(from: (30, 0), to: (-29.9, 179.8), distance: 19989832.8276095, bearings: [18.109475264]),
    .init(from: (-30, 0), to: (30, 179.8), distance: 20000239.4377247, bearings: [157.50333759, 22.49666241]),
    .init(from: (-30, 0), to: (30, 179.3), distance: 19961613.3094289, bearings: [89.955744934]),
    .init(from: (5, 0), to: (-5.00001, 179.99999), distance: 20003930.3527891, bearings: [179.999046231]),
    .init(from: (-60, 10), to: (59.999, -170.002), distance: 20003819.6795503, bearings: [179.623368758]),
    .init(from: (89.9, 0), to: (-89.8, 179), distance: 19992758.6598155, bearings: [1.999618857]),
    .init(from: (1, 0), to: (-1.000000001, -179.999999), distance: 20003931.4585148, bearings: [180.000095032]),
    .init(from: (27.2, 0), to: (-27.1, 179.5), distance: 19974354.7657671, bearings: [45.824687168]),
    .init(from: (0.1, -90), to: (-0.1, 89.7), distance: 19995624.8899613, bearings: [29.828818097, 150.171181903]),
    // Opposite.
    .init(from: (0, 0), to: (0, 180), distance: 20003931.4586254, bearings: [0, 180]),
    .init(from: (30, 0), to: (-30, 180), distance: 20003931.4586254, bearings: [0, 180]),
    .init(from: (-30, 0), to: (30, 180), distance: 20003931.4586254, bearings: [180, 0]),
    .init(from: (-89, -45), to: (89, 135), distance: 20003931.4586254, bearings: [180, 0]),
    // The same place.
    .init(from: (0, 0), to: (0, 0), distance: 0, bearings: []),
    .init(from: (52.52, 13.405), to: (52.52, 13.405), distance: 0, bearings: []),
    .init(from: (-17, 180), to: (-17, -180), distance: 0, bearings: []),
    .init(from: (90, 0), to: (90, 120), distance: 0, bearings: []),
    .init(from: (-90, -10), to: (-90, 170), distance: 0, bearings: []),
]
