@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Testing

/// The encoding of the parameters of `Watch`.
@Suite(.timeLimit(.minutes(10)))
struct WatchRequestTests {
    private func sent(_ options: WatchRequest) async throws -> String {
        let daemon = try ScriptedDaemon(answer: "{\"parameters\":{}}\0", then: .stays)
        for try await update in LocationClient(socketPath: daemon.path).updates(options) {
            #expect(update == LocationUpdate(WatchReply()))
        }
        await daemon.clientLeft()
        return await daemon.receivedCall()
    }

    @Test func nothingIsSentThatIsUsual() async throws {
        let call = try await sent(WatchRequest())
        #expect(
            call
                == #"{"method":"org.locationd.location.Watch","more":true,"parameters":"#
                + #"{"library":"LocationKit 0.1.0"}}"#)
    }

    @Test func everythingElseIsSent() async throws {
        var options = WatchRequest()
        options.distanceFilter = 10.5
        options.requiredAccuracy = 20
        options.minimumInterval = 0.25
        options.maximumUpdates = 3
        options.duration = 60.5
        options.location = false
        options.heading = true
        options.satellites = true
        options.passive = true
        options.everySource = true
        options.purpose = "map"
        let call = try await sent(options)
        #expect(
            call
                == #"{"method":"org.locationd.location.Watch","more":true,"parameters":{"distanceFilter":10.5,"#
                + #""duration":60.5,"#
                + #""everySource":true,"heading":true,"library":"LocationKit 0.1.0","location":false,"maximumUpdates":3,"#
                + #""minimumInterval":0.25,"passive":true,"purpose":"map","requiredAccuracy":20,"satellites":true}}"#)
    }

    @Test func intervalIsSent() async throws {
        var options = WatchRequest()
        options.interval = 120.5
        #expect(
            try await sent(options)
                == #"{"method":"org.locationd.location.Watch","more":true,"parameters":{"interval":120.5,"#
                + #""library":"LocationKit 0.1.0"}}"#)
    }

    @Test func callSendsItsParameters() async throws {
        let daemon = try ScriptedDaemon(
            answer: "{\"parameters\":{\"location\":\(LocationErrorTests.bestText)}}\0", then: .stays)
        let location = try await LocationClient(socketPath: daemon.path)
            .location(LocationRequest(maximumAge: 5, timeout: 1.5, requiredAccuracy: 7, passive: true))
        #expect(location == LocationErrorTests.best)
        let call = await daemon.receivedCall()
        #expect(
            call
                == #"{"method":"org.locationd.location.GetLocation","parameters":{"maximumAge":5,"passive":true,"#
                + #""requiredAccuracy":7,"timeout":1.5}}"#)
    }
}
