@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// The contract of every geocoder: one request at a time, each answered once.
@Suite(.timeLimit(.minutes(10)))
struct GeocoderContractTests {
    typealias Answer = Result<[Placemark], GeocodingError>

    @Test(arguments: GeocoderImplementation.allCases)
    func completionIsCalledOnce(by implementation: GeocoderImplementation) async throws {
        let subject = try implementation.subject()
        let answers = ValueRecorder<Answer>()
        subject.geocoder.reverseGeocode(try .at(47, 8), locale: "de") { answers.append($0) }
        #expect(subject.geocoder.isGeocoding)
        try await eventually { subject.requests == 1 }
        try subject.answer(.success([try .town("A"), try .town("B")]))
        try await eventually { answers.count == 1 }
        #expect(!subject.geocoder.isGeocoding)
        subject.geocoder.cancelGeocode()
        #expect(try answers.values == [.success([.town("A"), .town("B")])])
    }

    @Test(arguments: GeocoderImplementation.allCases)
    func taskIsAnswered(by implementation: GeocoderImplementation) async throws {
        let subject = try implementation.subject()
        let geocoder = subject.geocoder
        async let here = geocoder.reverseGeocode(try .at(47, 8))
        try await eventually { subject.requests == 1 }
        try subject.answer(.success([try .town("A")]))
        #expect(try await here == [.town("A")])
        async let found = geocoder.geocode("A")
        try await eventually { subject.requests == 2 }
        try subject.answer(.success([try .town("A")]))
        #expect(try await found == [.town("A")])
    }

    @Test(arguments: GeocoderImplementation.allCases)
    func secondRequestIsRefusedAndTheFirstGoesOn(_ implementation: GeocoderImplementation) async throws {
        let subject = try implementation.subject()
        let first = ValueRecorder<Answer>()
        let second = ValueRecorder<Answer>()
        subject.geocoder.reverseGeocode(try .at(1, 1), locale: nil) { first.append($0) }
        subject.geocoder.geocode("B", locale: nil, limit: 1) { second.append($0) }
        #expect(second.values == [.failure(.requestInProgress)])
        await #expect(throws: GeocodingError.requestInProgress) {
            try await subject.geocoder.reverseGeocode(try .at(1, 1))
        }
        try await eventually { subject.requests == 1 }
        try subject.answer(.success([try .town("A")]))
        try await eventually { first.count == 1 }
        #expect(try first.values == [.success([.town("A")])])
        #expect(subject.requests == 1 && second.count == 1)
    }

    @Test(arguments: GeocoderImplementation.allCases)
    func cancellationIsTheAnswer(of implementation: GeocoderImplementation) async throws {
        let subject = try implementation.subject()
        let answers = ValueRecorder<Answer>()
        subject.geocoder.cancelGeocode()
        subject.geocoder.reverseGeocode(try .at(1, 1), locale: nil) { answers.append($0) }
        try await eventually { subject.requests == 1 }
        subject.geocoder.cancelGeocode()
        #expect(answers.values == [.failure(.cancelled)])
        #expect(!subject.geocoder.isGeocoding)
        subject.geocoder.cancelGeocode()
        subject.geocoder.reverseGeocode(try .at(1, 1), locale: nil) { answers.append($0) }
        try await eventually("the cancelled one was not remembered") { subject.requests == 2 }
        try subject.answer(.success([try .town("A")]))
        try await eventually { answers.count == 2 }
        #expect(try answers.values == [.failure(.cancelled), .success([.town("A")])])
    }

    @Test(arguments: GeocoderImplementation.allCases)
    func taskThatIsCancelledCancelsItsOwnRequestAlone(_ implementation: GeocoderImplementation) async throws {
        let subject = try implementation.subject()
        let geocoder = subject.geocoder
        let place = try Coordinate.at(1, 1)
        let task = Task { try await geocoder.reverseGeocode(place) }
        try await eventually { subject.requests == 1 }
        task.cancel()
        await #expect(throws: GeocodingError.cancelled) { try await task.value }
        #expect(!geocoder.isGeocoding)
        let answers = ValueRecorder<Answer>()
        geocoder.reverseGeocode(place, locale: nil) { answers.append($0) }
        let second = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await geocoder.reverseGeocode(place)
        }
        second.cancel()
        await #expect(throws: GeocodingError.cancelled) { try await second.value }
        #expect(geocoder.isGeocoding && answers.count == 0)
        try await eventually { subject.requests == 2 }
        try subject.answer(.failure(.noResult))
        try await eventually { answers.count == 1 }
        #expect(answers.values == [.failure(.noResult)])
    }

    @Test(arguments: GeocoderImplementation.allCases)
    func requestOutlivesItsGeocoder(_ implementation: GeocoderImplementation) async throws {
        let answers = ValueRecorder<Answer>()
        let service = try implementation.releasedGeocoder { geocoder in
            geocoder.reverseGeocode(try .at(1, 1), locale: nil) { answers.append($0) }
        }
        try await eventually { service.requests() == 1 }
        try service.answer(.success([try .town("A")]))
        try await eventually { answers.count == 1 }
        #expect(try answers.values == [.success([.town("A")])])
    }

    @Test(arguments: GeocoderImplementation.allCases)
    func completionMayStartAnotherRequest(of implementation: GeocoderImplementation) async throws {
        let subject = try implementation.subject()
        let geocoder = subject.geocoder
        let answers = ValueRecorder<Answer>()
        geocoder.geocode("A", locale: nil, limit: 1) { first in
            answers.append(first)
            geocoder.geocode("B", locale: nil, limit: 1) { answers.append($0) }
        }
        try await eventually { subject.requests == 1 }
        try subject.answer(.failure(.noResult))
        try await eventually { subject.requests == 2 }
        try subject.answer(.success([try .town("B")]))
        try await eventually { answers.count == 2 }
        #expect(try answers.values == [.failure(.noResult), .success([.town("B")])])
    }

    @Test(arguments: GeocoderImplementation.allCases)
    func cachedResultsAreNotRequestedAgain(of implementation: GeocoderImplementation) async throws {
        let subject = try implementation.subject()
        let answers = ValueRecorder<Answer>()
        func answer(_ latitude: Double, _ longitude: Double, then answer: Answer?) async throws -> Answer? {
            let (before, asked) = (answers.count, subject.requests)
            subject.geocoder.reverseGeocode(try .at(latitude, longitude), locale: "en") { answers.append($0) }
            if let answer {
                try await eventually { subject.requests == asked + 1 }
                try subject.answer(answer)
            }
            try await eventually { answers.count == before + 1 }
            #expect(subject.requests == asked + (answer == nil ? 0 : 1))
            return answers.values.last
        }
        let town: Answer = .success([try .town("A")])
        #expect(try await answer(47, 8, then: town) == town)
        #expect(try await answer(47.0001, 7.9999, then: nil) == town)
        #expect(try await answer(47.0002, 8, then: .failure(.noResult)) == .failure(.noResult))
        #expect(try await answer(47.0003, 8, then: nil) == .failure(.noResult))
        #expect(try await answer(20, 8, then: .failure(.network(reason: "cut"))) == .failure(.network(reason: "cut")))
        #expect(try await answer(20, 8, then: town) == town)
    }

    @Test(
        arguments: GeocoderImplementation.allCases,
        [
            GeocodingError.noResult, .partialResult([]), .network(reason: "429"), .busy(limit: 16), .cancelled,
        ])
    func errorsAreReported(by implementation: GeocoderImplementation, _ error: GeocodingError) async throws {
        let subject = try implementation.subject()
        var error = error
        if case .partialResult = error { error = .partialResult([try .town("A")]) }
        let answers = ValueRecorder<Answer>()
        subject.geocoder.reverseGeocode(try .at(1, 1), locale: nil) { answers.append($0) }
        try await eventually { subject.requests == 1 }
        try subject.answer(.failure(error))
        try await eventually { answers.count == 1 }
        #expect(answers.values == [.failure(error)])
        #expect(!error.description.isEmpty)
    }

    @Test(
        arguments: GeocoderImplementation.allCases,
        [
            ("", nil, 10, "text"), (" \n", nil, 10, "text"), (String(repeating: "é", count: 257), nil, 10, "text"),
            ("A", "", 10, "locale"), ("A", String(repeating: "x", count: 65), 10, "locale"),
            ("A", nil, 0, "limit"), ("A", nil, 101, "limit"), ("A", nil, Int.min, "limit"),
        ] as [(String, String?, Int, String)])
    func invalidParametersAreReportedImmediately(
        by implementation: GeocoderImplementation, _ wrong: (text: String, locale: String?, limit: Int, name: String)
    ) async throws {
        let subject = try implementation.subject()
        let answers = ValueRecorder<Answer>()
        subject.geocoder.geocode(wrong.text, locale: wrong.locale, limit: wrong.limit) { answers.append($0) }
        guard case .failure(.invalidParameter(wrong.name, let reason))? = answers.values.first else {
            Issue.record("\(answers.values)")
            return
        }
        #expect(!reason.isEmpty && answers.count == 1 && subject.requests == 0)
    }

    @Test(arguments: [0.5, 301, .nan, -.infinity])
    func timeOutOutOfRangeIsAnError(_ timeout: Double) async throws {
        await #expect(throws: GeocodingError.invalidParameter("timeout", reason: "it is within 1...300 seconds")) {
            try await ReverseGeocoder(socketPath: "/nowhere", timeout: timeout).geocode("A")
        }
    }
}
