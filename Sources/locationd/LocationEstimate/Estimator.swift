import Glibc
@_spi(Programs) package import LocationModel

/// Where the machine most likely is, from the fixes so far: position, speed and course combined by their stated accuracies, held at a
/// standstill, and continued for some seconds without a fix.
///
/// No clock and no I/O: fixes come in, estimates go out. A Kalman filter (``PlaneFilter``) works on a plane near the machine
/// (``LocalPlane``); ``ErrorShare`` tells which part of the error it can reduce.
package struct Estimator: Sendable {
    /// Seconds for which a position is predicted after a fix.
    package static let predictionLimit = 10.0
    /// Metres per second from which the machine moves so that a prediction says more than the last fix.
    private static let predictedSpeed = 1.0
    /// Seconds without a fix after which nothing of the former ones is used.
    private static let memory = 60.0
    /// Metres from the former position beyond which nothing of the former fixes is used.
    private static let farthest = 20_000.0
    /// χ² of two degrees that a position hardly has by chance: 10 σ.
    private static let doubtful = 100.0
    /// Seconds over which the errors of a receiver's velocity, and of its positions at a standstill, are alike: more fixes in that
    /// time say hardly more. An error with that correlation has the effect of independent ones of 1 + 2τ/T times the variance.
    private static let (velocityCorrelation, standingCorrelation) = (0.4, 10.0)
    /// The deviations of the velocity of a machine that stands, that begins to move, and of which nothing is known, metres per second.
    private static let (standingSpeed, startingSpeed, unknownSpeed) = (0.1, 1.5, 15.0)
    /// The part of the error of a standing receiver that its positions show within a minute.
    private static let standingShare = 0.25
    /// The variance by which a standing machine is less certain each second, m²/s.
    private static let creep = 1e-4
    /// The deviations of a height and a climb whose accuracy is unknown, metres and metres per second.
    private static let (unknownHeight, unknownClimb) = (30.0, 0.5)

    private let agility: Agility
    private var state: State?

    private struct State: Sendable {
        var plane: LocalPlane
        var filter: PlaneFilter
        var height: LineFilter?
        /// Of the position's error, and of the height's.
        var share = ErrorShare()
        var heightShare = ErrorShare()
        var standstill = Standstill()
        var manoeuvre = Manoeuvre()
        /// The last fix, and its stated covariance.
        var fix: Location
        var R: Matrix2
        /// Seconds since the first fix, by the receiver's time.
        var time = 0.0
        /// The last course while it moved, degrees, and its deviation.
        var course: (degrees: Double, deviation: Double)?
        /// A fix that is far from what was expected, and what was known of the errors before it.
        var doubt: (position: Vector2, R: Matrix2, share: ErrorShare)?
    }

    package init(_ agility: Agility) { self.agility = agility }

    /// The fix that the present estimate is of.
    package var sequence: Int64? { state?.fix.sequence }

    /// Takes a fix that is believed.
    ///
    /// - Returns: the estimate at the fix's time.
    package mutating func apply(_ fix: Location) -> Location {
        let measured = MeasuredMotion(fix)
        if var next = state, Self.advance(&next, with: fix, measured, agility), next.filter.isFinite {
            state = next
        } else {
            state = Self.begin(with: fix, measured, agility)
        }
        guard let state else { return fix }
        return Self.location(of: state, filter: state.filter, at: fix, basis: .filtered) ?? fix
    }

    /// The estimate without a newer fix; `nil` if there is none: the machine stands, or the last fix is too old.
    package func predicted(at now: BootInstant) -> Location? {
        guard let state, !state.standstill.isStanding, Self.speed(state.filter.v) >= Self.predictedSpeed else {
            return nil
        }
        let T = now.seconds(since: state.fix.monotonicTime)
        guard T > 0, T <= Self.predictionLimit else { return nil }
        var filter = state.filter
        filter.predict(T, q: agility.horizontal)
        (filter.p, filter.v) = state.manoeuvre.continued(from: state.filter.p, state.filter.v, for: T)
        var later = state
        later.height?.predict(T, q: agility.vertical)
        var fix = state.fix
        fix.monotonicTime = now
        fix.timestamp = fix.timestamp?.advanced(bySeconds: T)
        // Nothing is measured of the sky of this moment.
        fix.augmentation = .deadReckoning
        (fix.satellitesUsed, fix.hdop, fix.vdop, fix.pdop) = (nil, nil, nil, nil)
        (fix.antenna, fix.jamming) = (nil, nil)
        return Self.location(of: later, filter: filter, at: fix, basis: .predicted)
    }

    /// Whether there are predictions after the last fix.
    package var isMoving: Bool {
        guard let state else { return false }
        return !state.standstill.isStanding && Self.speed(state.filter.v) >= Self.predictedSpeed
    }

    // MARK: Fixes

    private static func begin(
        with fix: Location, _ measured: MeasuredMotion, _ agility: Agility, share: ErrorShare = ErrorShare()
    ) -> State {
        let unknown = Matrix2(diagonal: unknownSpeed * unknownSpeed)
        let filter = PlaneFilter(
            p: .zero, v: measured.velocity?.v ?? .zero, Pₚₚ: measured.R, Pᵥᵥ: measured.velocity?.R ?? unknown)
        var state = State(plane: LocalPlane(at: fix.coordinate), filter: filter, fix: fix, R: measured.R)
        state.share = share
        updateHeight(&state, with: fix, after: 0, agility)
        observeCourse(&state)
        return state
    }

    /// - Returns: false if nothing of the former fixes can be used.
    private static func advance(
        _ state: inout State, with fix: Location, _ measured: MeasuredMotion, _ agility: Agility
    ) -> Bool {
        let T = seconds(from: state.fix, to: fix)
        var z = state.plane.position(of: measured.axes)
        guard T <= memory, (z * z).sum() < farthest * farthest else { return false }
        if (state.filter.p * state.filter.p).sum() > LocalPlane.reach * LocalPlane.reach {
            guard move(&state) else { return false }
            z = state.plane.position(of: measured.axes)
        }
        let R = state.plane.covariance(measured.R, of: measured.axes)
        let velocity = measured.velocity.map {
            (v: state.plane.vector($0.v, of: measured.axes), R: state.plane.covariance($0.R, of: measured.axes))
        }
        let isStanding = state.standstill.isStanding
        if isStanding {
            state.filter.Pₚₚ = state.filter.Pₚₚ + Matrix2(diagonal: creep * T)
        } else {
            state.filter.predict(T, q: agility.horizontal)
        }
        state.time += T
        let known = state.share
        let doubt = chiSquare(z - state.filter.p, state.filter.Pₚₚ + R * max(1, known.value))
        if !isStanding {
            let innovation = z - state.filter.p
            state.share.observe(square: (innovation * innovation).sum(), P: state.filter.Pₚₚ.trace, R: R.trace)
        }
        defer { (state.fix, state.R) = (fix, R) }
        if doubt > doubtful {
            if let former = state.doubt, agrees(z, R, velocity?.v, after: T, with: former.position, former.R) {
                state = begin(with: fix, measured, agility, share: former.share)
                return true
            }
            state.doubt = (z, R, state.doubt?.share ?? known)
            return true
        }
        state.doubt = nil
        let share = isStanding ? 1 + 2 * standingCorrelation / max(T, 0.01) : state.share.value
        state.filter.update(position: z, R: R * share)
        if !isStanding, let velocity {
            state.filter.update(
                velocity: velocity.v, R: velocity.R * (1 + 2 * velocityCorrelation / max(T, 0.01)))
        }
        updateHeight(&state, with: fix, after: T, agility)
        observeStandstill(&state, z, R, velocity, fix, T)
        observeCourse(&state)
        return true
    }

    /// Whether a position follows another one.
    private static func agrees(
        _ z: Vector2, _ R: Matrix2, _ v: Vector2?, after T: Double, with former: Vector2, _ formerR: Matrix2
    ) -> Bool {
        // Where no velocity is known, a vehicle's.
        let way = (v == nil ? unknownSpeed : startingSpeed) * T
        let spread = (R + formerR) * 9 + Matrix2(diagonal: way * way)
        return chiSquare(z - former - (v ?? .zero) * T, spread) < 1
    }

    private static func observeStandstill(
        _ state: inout State, _ z: Vector2, _ R: Matrix2, _ velocity: (v: Vector2, R: Matrix2)?, _ fix: Location,
        _ T: Double
    ) {
        let change = state.standstill.update(
            speed: fix.speed ?? speed(state.filter.v), speedDeviation: fix.speedAccuracy ?? unknownClimb, measured: z,
            filtered: state.filter.p, radius: ErrorCircle(R).radius, time: state.time, T: T)
        switch change {
        case .stopped:
            (state.filter.v, state.filter.Pₚᵥ) = (.zero, .zero)
            state.filter.Pᵥᵥ = Matrix2(diagonal: standingSpeed * standingSpeed)
            state.manoeuvre.reset()
        case .started, .moved:
            // It has moved already by this.
            let way = z - state.filter.p
            state.filter.Pₚₚ = state.filter.Pₚₚ + Matrix2(diagonal: (way * way).sum())
            state.filter.Pᵥᵥ = Matrix2(diagonal: startingSpeed * startingSpeed)
            state.filter.update(position: z, R: R * state.share.value)
            if let velocity { state.filter.update(velocity: velocity.v, R: velocity.R) }
        case nil:
            if !state.standstill.isStanding { state.manoeuvre.observe(state.filter.v, after: T) }
        }
    }

    /// The receiver's time between two fixes, seconds: that of arrival where it says none, or one that cannot be.
    private static func seconds(from former: Location, to fix: Location) -> Double {
        if let time = fix.timestamp, let formerTime = former.timestamp {
            let seconds = time.seconds(since: formerTime)
            if seconds > 0, seconds <= memory { return seconds }
        }
        return max(0, fix.monotonicTime.seconds(since: former.monotonicTime))
    }

    private static func updateHeight(_ state: inout State, with fix: Location, after T: Double, _ agility: Agility) {
        guard let height = fix.ellipsoidalAltitude ?? fix.altitude else { return state.height = nil }
        let scale = fix.accuracyBasis == .fromDOP ? 1.96 : 1
        let deviation = max(0.01, (fix.verticalAccuracy ?? unknownHeight) / scale)
        let R = deviation * deviation
        if var filter = state.height {
            filter.predict(T, q: state.standstill.isStanding ? creep : agility.vertical)
            let innovation = height - filter.z
            state.heightShare.observe(square: innovation * innovation, P: filter.Pzz, R: R)
            let share =
                state.standstill.isStanding ? 1 + 2 * standingCorrelation / max(T, 0.01) : state.heightShare.value
            filter.update(height: height, R: R * share)
            state.height = filter
        } else {
            state.height = LineFilter(height: height, R: R)
        }
        guard let climb = fix.climb else { return }
        let error = max(0.1, fix.climbAccuracy ?? unknownClimb)
        state.height?.update(climb: climb, R: error * error * (1 + 2 * velocityCorrelation / max(T, 0.01)))
        if state.height?.isFinite == false { state.height = nil }
    }

    private static func observeCourse(_ state: inout State) {
        let v = state.filter.v
        let speed = speed(v)
        // A slower machine's direction is mostly noise.
        guard speed > 0.5, !state.standstill.isStanding else { return }
        let here = LocalPlane.Axes(at: state.plane.coordinate(of: state.filter.p) ?? state.fix.coordinate)
        let local = state.plane.vector(v, at: here)
        let across = Vector2(v.y, -v.x) / speed
        let deviation = atan2(max(0, state.filter.Pᵥᵥ.product(with: across)).squareRoot(), speed) * 180 / .pi
        state.course = (degrees(atan2(local.x, local.y)), deviation)
    }

    /// Puts the plane where the machine is.
    private static func move(_ state: inout State) -> Bool {
        guard let here = state.plane.coordinate(of: state.filter.p) else { return false }
        let plane = LocalPlane(at: here)
        state.standstill.shift(by: state.filter.p)
        state.filter.p = .zero
        state.filter.v = state.plane.vector(state.filter.v, at: plane.axes)
        state.filter.Pₚₚ = state.plane.covariance(state.filter.Pₚₚ, at: plane.axes)
        state.filter.Pₚᵥ = state.plane.covariance(state.filter.Pₚᵥ, at: plane.axes)
        state.filter.Pᵥᵥ = state.plane.covariance(state.filter.Pᵥᵥ, at: plane.axes)
        state.plane = plane
        // Rarely there is one, and it is asked for again.
        state.doubt = nil
        return true
    }

    // MARK: Estimates

    private static func location(
        of state: State, filter: PlaneFilter, at fix: Location, basis: LocationBasis
    ) -> Location? {
        guard let coordinate = state.plane.coordinate(of: filter.p) else { return nil }
        var location = fix
        location.coordinate = coordinate
        location.basis = basis
        location.accuracyBasis = nil
        let here = LocalPlane.Axes(at: coordinate)
        // What the filter cannot reduce of the stated error is still there; at a standstill that is at least most of it.
        let left = max(state.share.remainder, state.standstill.isStanding ? 1 - standingShare : 0)
        let covariance = filter.Pₚₚ + state.R * left
        let circle = ErrorCircle(state.plane.covariance(covariance, at: here))
        let isKnown = fix.horizontalAccuracy != nil || fix.errorEllipse != nil
        location.horizontalAccuracy = isKnown ? circle.radius : nil
        location.errorEllipse = isKnown ? circle.ellipse : nil
        describeSpeed(of: &location, state, filter, here)
        describeHeight(of: &location, state)
        return location
    }

    private static func describeSpeed(
        of location: inout Location, _ state: State, _ filter: PlaneFilter, _ here: LocalPlane.Axes
    ) {
        let speed = speed(filter.v)
        location.speed = speed
        let along = speed > 0 ? filter.v / speed : Vector2(0, 1)
        location.speedAccuracy = max(0, filter.Pᵥᵥ.product(with: along)).squareRoot()
        (location.course, location.courseAccuracy) = (state.course?.degrees, state.course?.deviation)
        guard location.basis == .predicted, speed > 0 else { return }
        let local = state.plane.vector(filter.v, at: here)
        location.course = degrees(atan2(local.x, local.y))
        let across = Vector2(filter.v.y, -filter.v.x) / speed
        location.courseAccuracy = atan2(max(0, filter.Pᵥᵥ.product(with: across)).squareRoot(), speed) * 180 / .pi
    }

    private static func describeHeight(of location: inout Location, _ state: State) {
        guard let height = state.height, let measured = location.ellipsoidalAltitude ?? location.altitude else {
            return
        }
        let correction = height.z - measured
        location.altitude = location.altitude.map { $0 + correction }
        location.ellipsoidalAltitude = location.ellipsoidalAltitude.map { $0 + correction }
        let scale = state.fix.accuracyBasis == .fromDOP ? 1.96 : 1
        location.verticalAccuracy = location.verticalAccuracy.map { stated in
            let deviation = stated / scale
            return (height.Pzz + deviation * deviation * state.heightShare.remainder).squareRoot()
        }
        location.climb = height.v
        location.climbAccuracy = height.Pvv.squareRoot()
    }

    private static func speed(_ v: Vector2) -> Double { (v * v).sum().squareRoot() }

    private static func degrees(_ radians: Double) -> Double {
        let degrees = radians * 180 / .pi
        let turned = degrees < 0 ? degrees + 360 : degrees
        return turned >= 360 ? 0 : turned
    }

    private static func chiSquare(_ difference: Vector2, _ covariance: Matrix2) -> Double {
        covariance.inverse?.product(with: difference) ?? 0
    }
}
