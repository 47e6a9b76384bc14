/// What of reduced accuracy outlives the daemon.
package struct ReducedMemory: Sendable, Hashable, Codable {
    /// The size of the grid that the displacement and the places' answers belong to, metres.
    package var size: Double
    /// The machine's secret.
    package var displacement: DiskPoint
    /// The places, the latest first.
    package var places: [ReducedPlace]

    /// The first memory of a machine, with a secret of its own.
    ///
    /// A grid of another size begins anew: with one secret for two sizes, two mean positions would tell it.
    /// - Parameter size: of the grid's cells, metres.
    package init(size: Double, using generator: inout some RandomNumberGenerator) {
        self.size = size
        displacement = .random(using: &generator)
        places = []
    }

    init(size: Double, displacement: DiskPoint, places: [ReducedPlace]) {
        self.size = size
        self.displacement = displacement
        self.places = places
    }

    private enum CodingKeys: String, CodingKey {
        case size, displacement, places
        /// Where the displacement was moving to, in files of a time when it moved.
        case to
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = try container.decode(Double.self, forKey: .size)
        displacement =
            try container.decodeIfPresent(DiskPoint.self, forKey: .displacement)
            ?? container.decode(DiskPoint.self, forKey: .to)
        places = try container.decode([ReducedPlace].self, forKey: .places)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(size, forKey: .size)
        try container.encode(displacement, forKey: .displacement)
        try container.encode(places, forKey: .places)
    }
}

extension ReducedAccuracy {
    /// What was remembered.
    package init(_ memory: ReducedMemory) {
        self.init(
            grid: AccuracyGrid(size: memory.size), displacement: memory.displacement,
            places: ReducedPlaces(memory.places))
    }

    /// What to remember.
    package var memory: ReducedMemory {
        ReducedMemory(size: grid.size, displacement: displacement, places: places.list)
    }
}
