@_spi(Programs) import LocationModel

/// What is known of the machine's movement: a Kalman filter (``PlaneFilter``) on a plane near it (``LocalPlane``), with
/// what decides how it is fed.
struct MotionState: Sendable {
    /// The most seconds that the receiver's time may say between two fixes, and the least of a gap.
    private static let (longest, gap) = (60.0, 2.0)
    /// Metres from the plane's point beyond which a position is impossible however uncertain the machine's is: the
    /// plane ends there.
    private static let farthest = 20_000.0
    /// Seconds from the first fix, and from the first after a gap, in which a receiver may still converge, and those of
    /// positions that count until then.
    private static let (settling, settlingMemory) = (5.0, 0.5)
    /// The deviation of the velocity of a machine that stands, metres per second.
    private static let standingSpeed = 0.1
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
    /// When the first fix came, or the first after a gap.
    private var begin = 0.0
    /// Seconds between the last two fixes.
    private var interval = 0.0
    /// The last fixes, if they are not where they were expected.
    private var doubt: Doubt?

    init(_ fix: Location, _ measured: MeasuredMotion) {
        let unknown = Matrix2(diagonal: Doubt.unknownSpeed * Doubt.unknownSpeed)
        plane = LocalPlane(at: fix.coordinate)
        filter = PlaneFilter(
            p: .zero, v: measured.velocity?.v ?? .zero, Pₚₚ: measured.R, Pᵥᵥ: measured.velocity?.R ?? unknown)
        (self.fix, R, share, moment) = (fix, measured.R, ErrorShare(), fix.monotonicTime)
        height = HeightEstimate(fix)
        observeCourse()
    }

    /// Takes the next fix.
    ///
    /// - Returns: false if nothing of the former ones can be used.
    mutating func advance(with fix: Location, _ measured: MeasuredMotion, _ agility: Agility) -> Bool {
        let T = seconds(to: fix)
        if filter.p.length > LocalPlane.reach, !movePlane() { return false }
        guard T <= Estimator.predictionLimit else { return false }
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
        // Fixes are missing. A machine that stands is known to be where it was.
        if T > max(Self.gap, 2 * interval), !standstill.isStanding { begin = time }
        let isSettling = time - begin <= Self.settling
        interval = T
        let isLevel = standstill.isStanding && agility != .flying && abs(fix.climb ?? 0) < Self.directedSpeed
        let innovation = z - filter.p
        let isFar = plane.distance(to: measured.axes) > Self.farthest
        // What disagrees raises the share, which must not hide that the next fix disagrees too.
        let known = doubt?.share ?? share
        let χ² = isFar ? .infinity : filter.chiSquare(of: innovation, R * max(1, known.value))
        let former = doubt
        doubt = χ² > Doubt.unlikely ? Doubt(z, R, velocity?.v, at: time, known, after: former) : nil
        if let doubt, doubt.isBelieved(χ², isSettling: isSettling) {
            restart(fix, measured, known, isSettling: isSettling)
            return true
        }
        // A machine that moves cannot wait for two fixes that agree if its receiver scatters.
        let isScattering = former != nil && !standstill.isStanding
        let χ²OfScatter = isScattering ? filter.chiSquare(of: innovation, R * max(1, share.value)) : χ²
        let isDoubtful = isFar || χ²OfScatter > Doubt.impossible
        // At a standstill the scatter is only observed if the fix is impossible, or while more scatter than stated is
        // known.
        if standstill.isStanding ? isDoubtful || share.value > 1 : isDoubtful || !isSettling {
            share.observe(square: (innovation * innovation).sum(), P: filter.Pₚₚ.trace, R: R.trace)
        }
        guard !isDoubtful else {
            if height?.pass(fix, after: T, isLevel: isLevel, agility) != true { height = HeightEstimate(fix) }
            return true
        }
        if standstill.isStanding {
            filter.update(position: z, R: R * Correlation.standing(T))
        } else {
            let before = self.R.trace * T
            let least = isSettling ? before / (before + R.trace * Self.settlingMemory) : 0
            filter.update(position: z, R: R * share.value, gain: least)
            if let velocity { filter.update(velocity: velocity.v, R: velocity.R * Correlation.velocity(T)) }
        }
        if height?.advance(with: fix, after: T, isLevel: isLevel, agility) != true { height = HeightEstimate(fix) }
        observeStandstill(z, R, velocity, fix, T)
        observeCourse()
        return true
    }

    /// The machine stands no more, and has moved in this time already: half as far as it would with the velocity that
    /// it has by now.
    private mutating func start(_ velocity: (v: Vector2, R: Matrix2)?, after T: Double) {
        standstill = Standstill()
        let v = velocity?.v ?? .zero
        let way = v * (T / 2)
        filter.p += way
        filter.Pₚₚ = filter.Pₚₚ + Matrix2(diagonal: max(1, (way * way).sum()))
        filter.setVelocity(v, deviation: Doubt.startingSpeed)
    }

    /// Begins anew with a fix, and with what is known of the receiver and of the direction.
    private mutating func restart(_ fix: Location, _ measured: MeasuredMotion, _ share: ErrorShare, isSettling: Bool) {
        let kept = (time, isSettling ? begin : time, interval)
        let course = course.map { (direction: plane.turn(to: measured.axes) * $0.direction, deviation: $0.deviation) }
        self = MotionState(fix, measured)
        (self.share, (time, begin, interval)) = (share, kept)
        filter.Pₚₚ = filter.Pₚₚ * share.value
        self.course = self.course ?? course
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
            filter.setVelocity(filter.v, deviation: Doubt.startingSpeed)
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

    /// Seconds since the last fix by the receiver's timestamps; by the times of arrival if a timestamp is missing or
    /// impossible, or if the fix comes from another receiver.
    private func seconds(to next: Location) -> Double {
        if let time = next.timestamp, let former = fix.timestamp, next.source.name == fix.source.name,
            next.source.device == fix.source.device
        {
            let seconds = time.seconds(since: former)
            if seconds > 0, seconds <= Self.longest { return seconds }
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
