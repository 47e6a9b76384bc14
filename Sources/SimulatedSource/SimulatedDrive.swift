import Glibc
package import LocationModel

/// A car that drives around a closed road for ever: faster, slower, through bends, over hills, with a stop now and
/// then.
///
/// Everything is a function of the time since the start: the same arguments give the same drive, any moment can be
/// asked for in any order, and nothing drifts over days. Position, speed, course, altitude and climb agree.
package struct SimulatedDrive: Sendable {
    /// The vehicle at one moment.
    package struct Moment: Sendable, Hashable {
        /// Where it is.
        package var coordinate: Coordinate
        /// Metres per second, 0 while it stands.
        package var speed: Double
        /// Where its nose points, degrees clockwise from true north, 0..<360.
        package var direction: Double
        /// Metres above mean sea level.
        package var altitude: Double
        /// Metres per second, up is positive.
        package var climb: Double
        /// Metres up per metre forward.
        package var slope: Double

        /// The direction of travel; `nil` while it stands.
        package var course: Double? { speed > 0 ? direction : nil }
    }

    let start: Coordinate
    let frame: LocalFrame
    let road: Road
    let timetable: Timetable
    let relief: Relief
    let sky: SimulatedSky
    let precision: Wander
    let middleAltitude: Double

    /// - Parameters:
    ///   - start: Where the road begins; it stays within 12 km of it.
    ///   - speed: What the driver aims at where nothing slows it down, metres per second. Taken to lie within 0...100;
    ///     below 0.1, or not a number, the vehicle stands for ever.
    ///   - altitude: Height above mean sea level about which the road rises and falls, metres.
    ///   - seed: Chooses the road, the stops and the sky.
    package init(start: Coordinate, speed: Double = 14, altitude: Double = 120, seed: UInt64 = 1) {
        var generator = SeededGenerator(seed: seed)
        let speed = speed.isNaN ? 0 : max(0, min(100, speed))
        self.start = start
        frame = LocalFrame(at: start)
        // A lap takes some minutes at any speed, but a road has bends a car can drive.
        road = Road(radius: max(150, speed * 45), using: &generator)
        timetable = Timetable(road: road, speed: speed, using: &generator)
        relief = Relief(length: road.length, using: &generator)
        sky = SimulatedSky(using: &generator)
        precision = Wander(using: &generator)
        middleAltitude = altitude.isFinite ? altitude : 0
    }

    /// The vehicle so many seconds after the start. A number that is not finite counts as 0.
    package func moment(at seconds: Double) -> Moment {
        let progress = timetable.progress(at: lapTime(seconds))
        let place = road.place(at: progress.distance)
        let coordinate = frame.coordinate(east: place.east, north: place.north) ?? start
        let (height, slope) = relief.height(at: progress.distance)
        return Moment(
            coordinate: coordinate, speed: progress.speed,
            // North is another direction there than at the start.
            direction: LocalFrame(at: coordinate).bearing(of: frame.direction(bearing: place.bearing)),
            altitude: middleAltitude + height, climb: slope * progress.speed, slope: slope)
    }

    private func lapTime(_ seconds: Double) -> Double {
        guard seconds.isFinite, timetable.duration.isFinite else { return 0 }
        let rest = fmod(seconds, timetable.duration)
        return rest < 0 ? rest + timetable.duration : rest
    }
}
