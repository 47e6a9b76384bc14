#if canImport(OpenCombine)
    @_spi(Programs) import LocationKit
    @_spi(Programs) import LocationKitCombine
    @_spi(Programs) import LocationKitTesting
    @_spi(Programs) import LocationModel
    import OpenCombine
    import TestSupport
    import Testing

    @Suite struct FaultsCombineTests {
        /// A handler cannot throw, but a step of a pipeline can.
        @Test func aPipelineThatThrowsEndsAloneAndRequestsNothingMore() throws {
            let fake = FakeLocationManager(authorization: .authorizedAlways)
            let (good, bad) = (ValueRecorder<Double>(), ValueRecorder<Double>())
            let ends = ValueRecorder<Bool>()
            let throwing = fake.locationPublisher.tryMap { location in
                if location.coordinate.latitude > 1 { throw LocationError.cancelled }
                return location.coordinate.latitude
            }.sink { completion in
                if case .failure(let error) = completion { ends.append(error as? LocationError == .cancelled) }
            } receiveValue: {
                bad.append($0)
            }
            let other = fake.locationPublisher.sink { good.append($0.coordinate.latitude) }
            for latitude in [1.0, 2, 3] { fake.send(latitude: latitude, longitude: 2) }
            #expect(bad.values == [1])
            #expect(ends.values == [true])
            #expect(good.values == [1, 2, 3])
            other.cancel()
            #expect(!fake.isReceiverWanted)
            throwing.cancel()
        }
    }
#endif
