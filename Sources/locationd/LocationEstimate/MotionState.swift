@_spi(Programs) import LocationModel

/// What is known of the machine's movement: a Kalman filter (``PlaneFilter``) on a plane near it (``LocalPlane``), with what decides how it
/// is fed.
struct MotionState: Sendable {
    /// Seconds without a fix after which nothing of the former ones is used.
    private static let memory = 60.0
    /// Metres from the plane's point beyond which a position is doubtful however uncertain the machine's is: the plane ends there.
    private static let farthest = 20_000.0
    /// The most that a vehicle accelerates, metres per second squared.
    private static let acceleration = 5.0
    /// χ² of two degrees that a position hardly has by chance: 10 σ.
    private static let doubtful = 100.0
    /// The deviations of the velocity of a machine that stands, that begins to move, and of which nothing is known, metres per second.
    private static let (standingSpeed, startingSpeed, unknownSpeed) = (0.1, 1.5, 15.0)
    /// Metres per second below which the filter's direction is mostly noise.
    private static let directedSpeed = 0.5

    private(set) var plane: LocalPlane
    private(set) var filter: PlaneFilter
    private(set) var height: HeightEstimate?
    private(set) var share: ErrorShare
    private(set) var standstill = Standstill()
    private(set) var manoeuvre = Manoeuvre()
    /// The last fix, and its stated covariance.
    private(set) var fix: Location
    private(set) var R: Matrix2
    /// The last direction while it moved, and its deviation, radians.
    private(set) var course: (direction: Vector2, deviation: Double)?
    /// When the last fix arrived, or one before it that arrived later: the moment that the filter is of.
    private(set) var moment: BootInstant
    /// Seconds since the first fix, by the receiver's time.
    private var time = 0.0
    /// A fix that is far from what was expected, and what was known of the errors before it.
    private var doubt: (position: Vector2, R: Matrix2, share: ErrorShare)?

    init(_ fix: Location, _ measured: MeasuredMotion, _ agility: Agility, share: ErrorShare = ErrorShare()) {
        let unknown = Matrix2(diagonal: Self.unknownSpeed * Self.unknownSpeed)
        plane = LocalPlane(at: fix.coordinate)
        filter = PlaneFilter(
            p: .zero, v: measured.velocity?.v ?? .zero, Pₚₚ: measured.R, Pᵥᵥ: measured.velocity?.R ?? unknown)
        (self.fix, R, self.share, moment) = (fix, measured.R, share, fix.monotonicTime)
        height = HeightEstimate(fix)
        observeCourse()
    }

    /// Takes the next fix.
    ///
    /// - Returns: false if nothing of the former ones can be used.
    mutating func advance(with fix: Location, _ measured: MeasuredMotion, _ agility: Agility) -> Bool {
        let T = seconds(to: fix)
        if filter.p.length > LocalPlane.reach, !movePlane() { return false }
        guard T <= Self.memory else { return false }
        let z = plane.position(of: measured.axes)
        let R = plane.covariance(measured.R, of: measured.axes)
        let velocity = measured.velocity.map {
            (v: plane.vector($0.v, of: measured.axes), R: plane.covariance($0.R, of: measured.axes))
        }
        time += T
        defer { (self.fix, self.R, moment) = (fix, R, max(moment, fix.monotonicTime)) }
        if standstill.isStanding, Standstill.isMoving(fix) {
            start(velocity, after: T)
        } else if standstill.isStanding {
            filter.wait(T)
        } else {
            filter.predict(T, q: agility.horizontal)
        }
        let isLevel = standstill.isStanding && agility != .flying && abs(fix.climb ?? 0) < Self.directedSpeed
        let known = share
        let innovation = z - filter.p
        let isDoubtful =
            filter.chiSquare(of: innovation, R * max(1, known.value)) > Self.doubtful
            || plane.distance(to: measured.axes) > Self.farthest
        // At a standstill the scatter says nothing, unless it is none that can be.
        if !standstill.isStanding || isDoubtful {
            share.observe(square: (innovation * innovation).sum(), P: filter.Pₚₚ.trace, R: R.trace)
        }
        guard !isDoubtful else {
            if let doubt, Self.agrees(z, R, velocity?.v, after: T, with: doubt.position, doubt.R) {
                self = MotionState(fix, measured, agility, share: doubt.share)
            } else {
                doubt = (z, R, doubt?.share ?? known)
                if height?.pass(fix, after: T, isLevel: isLevel, agility) != true { height = HeightEstimate(fix) }
            }
            return true
        }
        doubt = nil
        if standstill.isStanding {
            filter.update(position: z, R: R * Correlation.standing(T))
        } else {
            filter.update(position: z, R: R * share.value)
            if let velocity { filter.update(velocity: velocity.v, R: velocity.R * Correlation.velocity(T)) }
        }
        if height?.advance(with: fix, after: T, isLevel: isLevel, agility) != true { height = HeightEstimate(fix) }
        observeStandstill(z, R, velocity, fix, T)
        observeCourse()
        return true
    }

    /// The machine stands no more, and has moved in this time already: half as far as it would with the velocity that it has by now.
    private mutating func start(_ velocity: (v: Vector2, R: Matrix2)?, after T: Double) {
        standstill = Standstill()
        let v = velocity?.v ?? .zero
        let way = v * (T / 2)
        filter.p += way
        filter.Pₚₚ = filter.Pₚₚ + Matrix2(diagonal: max(1, (way * way).sum()))
        filter.setVelocity(v, deviation: Self.startingSpeed)
    }

    /// Whether a position follows another one.
    private static func agrees(
        _ z: Vector2, _ R: Matrix2, _ v: Vector2?, after T: Double, with former: Vector2, _ formerR: Matrix2
    ) -> Bool {
        // Where no velocity is known, a vehicle's.
        let way = (v == nil ? unknownSpeed : startingSpeed) * T + acceleration / 2 * T * T
        let spread = (R + formerR) * 9 + Matrix2(diagonal: way * way)
        return spread.inverse.map { $0.product(with: z - former - (v ?? .zero) * T) < 1 } ?? false
    }

    private mutating func observeStandstill(
        _ z: Vector2, _ R: Matrix2, _ velocity: (v: Vector2, R: Matrix2)?, _ fix: Location, _ T: Double
    ) {
        let change = standstill.update(
            speed: fix.speed ?? filter.v.length, measured: z, filtered: filter.p, radius: ErrorCircle(R).radius,
            time: time, T: T)
        switch change {
        case .stopped:
            filter.setVelocity(.zero, deviation: Self.standingSpeed)
            manoeuvre.reset()
        case .moves:
            // It has moved already by this.
            filter.Pₚₚ = filter.Pₚₚ + Matrix2(diagonal: ((z - filter.p) * (z - filter.p)).sum())
            filter.setVelocity(filter.v, deviation: Self.startingSpeed)
            filter.update(position: z, R: R * share.value)
            if let velocity { filter.update(velocity: velocity.v, R: velocity.R) }
        case nil:
            if !standstill.isStanding { manoeuvre.observe(filter.v, after: T) }
        }
    }

    private mutating func observeCourse() {
        let speed = filter.v.length
        guard speed > Self.directedSpeed, !standstill.isStanding else { return }
        course = (filter.v / speed, filter.courseDeviation)
    }

    /// The receiver's time since the last fix, seconds: that of arrival where the receiver says none, or one that cannot be, or is another
    /// one.
    private func seconds(to next: Location) -> Double {
        if let time = next.timestamp, let former = fix.timestamp, next.source.name == fix.source.name,
            next.source.device == fix.source.device
        {
            let seconds = time.seconds(since: former)
            if seconds > 0, seconds <= Self.memory { return seconds }
        }
        return max(0, next.monotonicTime.seconds(since: moment))
    }

    /// Puts the plane where the machine is.
    private mutating func movePlane() -> Bool {
        guard let here = plane.coordinate(of: filter.p) else { return false }
        let next = LocalPlane(at: here)
        let turn = plane.turn(to: next.axes)
        standstill.shift(by: filter.p)
        filter.move(turn)
        course = course.map { (turn * $0.direction, $0.deviation) }
        plane = next
        // Rarely there is one, and it is asked for again.
        doubt = nil
        return true
    }
}
