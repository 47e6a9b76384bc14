@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDSource

@Suite struct AccuracyOriginTests {
    private var origin = AccuracyOrigin()
    /// The last two.
    private var dilutions: [Double] = []

    private mutating func sky(_ dilution: Double) {
        dilutions = [dilution] + dilutions.prefix(1)
        origin.applyDilution(dilution)
    }

    private mutating func basis(
        _ accuracy: Double, spherical: Double? = nil, east: Double? = nil, north: Double? = nil,
        isCorrected: Bool = false
    ) -> AccuracyBasis? {
        origin.basis(
            of: accuracy, beside: .init(spherical: spherical, east: east, north: north), isCorrected: isCorrected,
            dilutions: dilutions)
    }

    /// Epochs of a receiver that states its accuracies.
    private mutating func stating(
        _ accuracies: Double..., dilution: Double = 0.77, spherical: Double? = nil
    ) -> [AccuracyBasis?] {
        accuracies.map { accuracy in
            sky(dilution)
            return basis(accuracy, spherical: spherical)
        }
    }

    /// The factors are measured of gpsd in `AccuracyOfRealGPSDTests`.
    @Test(arguments: [
        (29.45, false, true), (29.54, false, true), (29.56, false, false), (23.25, false, false),
        (7.3625, true, true), (7.38, true, true), (7.39, true, false), (5.8125, true, false),
    ])
    mutating func aProductIsGpsds(_ accuracy: Double, _ isCorrected: Bool, _ isProduct: Bool) {
        sky(1.55)
        let basis = basis(accuracy, isCorrected: isCorrected)
        #expect(basis == (isProduct ? .fromDOP : nil))
    }

    /// What gpsd 3.25 makes of a SiRF receiver's sentences: its position's dilution, 3.20, is the receiver's, the
    /// others are not.
    @Test mutating func whatIsComputedLikeItsComponentsIsGpsds() {
        for _ in 0..<4 {
            sky(2.4)
            let basis = basis(45.571, spherical: 60.8, east: 25.475, north: 25.404)
            #expect(basis == .fromDOP)
        }
        sky(2.4)
        let other = basis(45.5, spherical: 60.8, east: 25.475, north: 25.404)
        #expect(other == nil)
    }

    @Test mutating func withoutADilutionNothingIsKnown() {
        let basis = basis(19)
        #expect(basis == nil)
    }

    @Test mutating func whatNoSkyExplainsIsStated() {
        let bases = stating(14.41, 14.43, 14.42, 3.11)
        #expect(bases == [nil, nil, .stated, .stated])
    }

    @Test mutating func aStatedAccuracyNearTheProductIsNoProduct() {
        // 14.63 is the product; the spherical error, 125 times 0.19, shows that the dilutions have two decimals.
        let bases = stating(14.41, 14.43, 14.66, 14.62, 14.64, spherical: 23.75)
        #expect(bases == [nil, nil, .stated, .stated, .stated])
    }

    @Test mutating func aDilutionThatGpsdComputedIsRounded() {
        sky(6.7)
        // 6.7034 and 16.131 times 19
        let basis = basis(127.364, spherical: 306.49)
        #expect(basis == .fromDOP)
    }

    @Test mutating func theDilutionMayComeAfterTheFix() {
        var bases: [AccuracyBasis?] = []
        for (before, accuracy) in [(2.68, 32.789), (1.73, 59.71), (3.14, 29.07), (1.53, 31.504), (1.66, 46.379)] {
            sky(before)
            bases.append(basis(accuracy, spherical: 37.601))
        }
        #expect(bases == [nil, nil, nil, nil, nil], "never stated")
    }

    @Test mutating func theFixMayComeAfterTheNextDilution() {
        sky(1.55)
        sky(9)
        let basis = basis(29.45)
        #expect(basis == .fromDOP)
    }

    @Test mutating func anEstimateThatGpsdKeepsStaysOne() {
        sky(1.82)
        var bases = [basis(34.516)]
        for dilution in [1.57, 1.57, 1.57] {
            sky(dilution)
            bases.append(basis(34.516))
        }
        #expect(bases == [.fromDOP, .fromDOP, .fromDOP, .fromDOP])
    }

    @Test mutating func theProductOfADilutionThatNobodyWasToldIsNotStated() {
        // 99.99, which receivers send for "none"
        let bases = stating(1899.81, 1899.81, 1899.81, 1899.81)
        #expect(bases == [nil, nil, nil, nil])
    }

    @Test mutating func anEpochWithoutItsStatementIsGpsds() {
        let bases = stating(0.659, 0.658, 0.657, 13.271, 0.655, 0.654, 0.653, dilution: 0.7, spherical: 26.186)
            .map { $0?.rawValue ?? "-" }.joined(separator: " ")
        #expect(bases.hasPrefix("- - stated fromDOP "))
        #expect(bases.hasSuffix(" stated stated"))
    }
}

/// What gpsd itself makes of receivers whose dilution is known.
@Suite(.timeLimit(.minutes(10))) struct AccuracyOfRealGPSDTests {
    private func locations(_ quality: Receiver.Quality, until basis: AccuracyBasis) async throws -> [Location] {
        let receiver = try Receiver(latitude: 52, quality: quality)
        let gpsd = try await GPSD.started(receivers: [receiver])
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = source.run(deliver: log.deliver)
        let last = try await log.fix { $0.accuracyBasis == basis }
        return log.events.compactMap { if case .fix(let location) = $0 { location } else { nil } } + [last]
    }

    @Test(arguments: [(false, AccuracyOrigin.rangeError), (true, AccuracyOrigin.correctedRangeError)])
    func gpsdMultipliesTheDilution(_ isCorrected: Bool, _ factor: Double) async throws {
        let locations = try await locations(.init(dilution: 1.3, isCorrected: isCorrected), until: .fromDOP)
        let last = try #require(locations.last)
        #expect(last.hdop == 1.3)
        #expect(last.augmentation == (isCorrected ? .dgps : nil))
        let accuracy = try #require(last.horizontalAccuracy)
        #expect(abs(accuracy / 1.3 - factor) < 0.001, "gpsd's own factor")
        #expect(!locations.contains { $0.accuracyBasis == .stated })
    }

    @Test func gpsdPassesOnWhatTheReceiverStates() async throws {
        let locations = try await locations(.init(dilution: 1.3, accuracy: 3.7), until: .stated)
        #expect(locations.last?.horizontalAccuracy == 3.7)
        #expect(!locations.contains { $0.horizontalAccuracy == 3.7 && $0.accuracyBasis == .fromDOP })
    }
}
